"""A concrete run as a C program about any one element of any one tensor, so that ESBMC decides the claims of phase 4.

The claims of phase 4 are about all elements of operands, for which a program of integers has no words. For one shape
it needs none: ESBMC chooses a place, and the program follows what the run does to the element there of each tensor, one
operation after the other. It is written or not; a sum of products or not; used by this iteration, or program, or that
one. What holds for any place holds for all elements.

Which elements an operation touches is said by the steps and extents of its views, not by what the shadow memory makes
of them (`analysis.marks`): the two have the walk over effects in common, and little behind it. Where an unwritten
element that is read goes to is not followed; nothing is claimed of accesses whose place an index decides, which are
counted.

Tensors to which the same happens, at the same places, in the same order, are one block of the program: a question about
one of them is a question about all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import field
from itertools import count

from nkiverify.analysis.effects import LAST_STRICT_GENERATION, Does, Effect, Effects, adds_product, begins_sum
from nkiverify.analysis.marks.order import ABANDONED, Exchange, Recorded, SharedTensors, interleaved
from nkiverify.analysis.marks.storage_cells import Layouts
from nkiverify.analysis.masks import touched
from nkiverify.analysis.reduction_registers import is_register_file, reading_rule
from nkiverify.analysis.side_effects import is_moved
from nkiverify.analysis.uniform import stored_alike
from nkiverify.engines.esbmc.dialects import one_line
from nkiverify.engines.esbmc.naming import place
from nkiverify.engines.esbmc.output import CLAIM_MESSAGE
from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Claim, Iteration, ParallelLoop
from nkiverify.model.contracts import contract
from nkiverify.model.memory import PSUM, SHARED_HBM
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.phases.dataflow.pieces import Inside, NotLowered, Piece, condition_of, pieces

#: The contracts that are lowered.
LOWERED = frozenset(
    (
        "df.read_unwritten", "acc.reduce_needs_init", "df.output_written", "df.sum_unwritten", "df.accumulate_stale",
        "df.accumulate_unwritten", "df.accumulate_other", "df.programs", "df.affine_range",
    )
)  # fmt: skip
#: The loop that the programs of a launch are the iterations of.
_PROGRAMS = 0
#: Places are numbers of 32 bits.
_MOST_UNITS = 1 << 32


@dataclass(slots=True)
class _Block:
    """The part of the program that is about one tensor, or several of a kind: conditions of places, state, steps."""

    name: str
    written: bool
    #: Whether a write may have left something out.
    partly: bool = False
    areas: list[str] = field(default_factory=list)
    #: By loop without an order: the number of its variables, its iterations that use the tensor, numbered in the order
    #: in which they do, and what they do.
    users: dict[object, int] = field(default_factory=dict)
    iterations: dict[object, dict[int, int]] = field(default_factory=dict)
    uses: dict[object, set[str]] = field(default_factory=dict)
    #: The claim that a step is a question of, with its condition, or a line; the loop that it is about.
    steps: list[tuple[int | None, str, object]] = field(default_factory=list)
    #: The numbers of its questions, in order; how many other tensors these are about.
    questions: list[int] = field(default_factory=list)
    others: int = 0
    #: The item of the run that the last step belongs to.
    position: int = -1

    def drop_uncontested(self) -> None:
        """Leave out the loops of which one iteration alone uses the tensor, or all read it, or add to it."""
        uniform = ({"read"}, {"added"})
        kept = {loop for loop in self.users if len(self.iterations[loop]) > 1 and self.uses[loop] not in uniform}
        self.steps = [step for step in self.steps if step[2] is None or step[2] in kept]
        self.users = {loop: user for loop, user in self.users.items() if loop in kept}

    @property
    def claimed(self) -> list[int]:
        """The claims that its questions are of, in order."""
        return [claim for claim, _, _ in self.steps if claim is not None]

    @property
    def text(self) -> tuple[object, ...]:
        """All that is computed and asked, without comments: blocks of equal texts have equal answers."""
        steps = ((claim is None, text) for claim, text, _ in self.steps if not text.startswith("//"))
        return (self.written, tuple(self.areas), tuple(self.users.values()), *steps)

    def lines(self, wanted: Collection[int]) -> Iterator[str]:
        """The block with the questions that are wanted; nothing where it has none of them."""
        if not any(question in wanted for question in self.questions):
            return
        yield f"{{  // {one_line(self.name)}{f', and {self.others} more tensors' if self.others else ''}"
        state = [f"_Bool written = {int(self.written)}, unknown = 0;", "unsigned char product = 0;"]
        users = [f"int wrote{user} = 0, read{user} = 0, added{user} = 0;" for user in self.users.values()]
        yield from (f"    {line}" for line in (*self.areas, *state, *users))
        questions = iter(self.questions)
        for claim, text, _ in self.steps:
            question = None if claim is None else next(questions)
            if question is None:
                yield f"    {text}"
            elif question in wanted:
                yield f'    __ESBMC_assert({text}, "{CLAIM_MESSAGE.format(number=question)}");'
        yield "}"


@dataclass(slots=True)
class LoweredRun:
    """The program of a run: its claims, by contract and position of the recorded item, in a block for each tensor.

    `left_out` counts the accesses of which nothing is claimed, `tensors` are the names of those that claims are about.
    A claim holds where the answers to all of its `questions` say so, which other claims may have as well. `places` is
    how many places the largest tensor has of which an area is examined.
    """

    claims: dict[tuple[str, int], Claim] = field(default_factory=dict)
    tensors: dict[int, str] = field(default_factory=dict)
    questions: dict[int, set[int]] = field(default_factory=dict)
    operations: int = 0
    left_out: int = 0
    places: int = 0
    blocks: list[_Block] = field(default_factory=list)

    def text(self, questions: Collection[int], heading: str) -> str:
        """The program that asks these questions."""
        wanted = frozenset(questions)
        body = [line for block in self.blocks for line in block.lines(wanted)]
        main = (*_any_place(self.places), *body, "return 0;")
        lines = [f"// {one_line(heading)}", *_PRELUDE, *(f"    {line}" for line in main), "}"]
        return "\n".join(lines) + "\n"

    def number_questions(self) -> None:
        """Number the questions, and leave out blocks that ask what another asks, and claims that ask nothing."""
        distinct: dict[tuple[object, ...], _Block] = {}
        numbers = count(1)
        for block in self.blocks:
            known = distinct.setdefault(block.text, block)
            if known is block:
                block.questions = [next(numbers) for _ in block.claimed]
            else:
                known.others += 1
            for claim, question in zip(block.claimed, known.questions, strict=True):
                self.questions.setdefault(claim, set()).add(question)
        self.blocks = list(distinct.values())
        self.claims = {key: claim for key, claim in self.claims.items() if claim.number in self.questions}


_PRELUDE = ("unsigned nondet_uint(void);", "", "int main(void)", "{")


def _any_place(places: int) -> tuple[str, str]:
    """The choice of a place: any below `places`, and some beyond, where nothing is claimed.

    No choice is excluded by a hypothesis: the lowest bits of all numbers are all numbers of this many bits. Solvers
    divide those in a third of the time.
    """
    mask = (1 << max(0, places - 1).bit_length()) - 1
    return "// Any place of any tensor.", f"const unsigned place = nondet_uint() & {mask}u;"


def lower_run(items: Sequence[Recorded], generation: int) -> LoweredRun:
    """The program of what a concrete run recorded on hardware of `generation`. Raises `NotLowered`."""
    operations = sum(isinstance(item, Executed) for item in items)
    if operations > SecondEngineBudget.OPERATIONS:
        raise NotLowered(f"{operations} operations, of at most {SecondEngineBudget.OPERATIONS}")
    lowering = _Lowering(items, generation)
    lowering.result.operations = operations
    lowering.run()
    return lowering.result


class _Iterations:
    """The iterations, and the program, that the present operation belongs to, where these have no order."""

    def __init__(self) -> None:
        self._running: dict[object, tuple[tuple[object, ...], int]] = {}
        self._programs: dict[tuple[object, ...], int] = {}
        self.around: dict[object, int] = {}

    def loop(self, item: ParallelLoop) -> None:
        """A loop begins or ends."""
        if item.begins:
            self._running[item.loop] = (item.program, -1)
        else:
            self._running.pop(item.loop, None)

    def iteration(self, item: Iteration) -> None:
        """A loop continues with its next iteration."""
        self._running[item.loop] = (self._running[item.loop][0], item.number)

    def executes(self, program: tuple[object, ...]) -> None:
        """This program of a launch executes something."""
        own = {loop: number for loop, (of, number) in self._running.items() if of == program and number >= 0}
        own |= {_PROGRAMS: self._programs.setdefault(program, len(self._programs))} if program else {}
        self.around = own


class _Lowering:
    def __init__(self, items: Sequence[Recorded], generation: int) -> None:
        self.result = LoweredRun()
        self._items = items
        self._strict = generation <= LAST_STRICT_GENERATION
        self._layouts = Layouts(items)
        self._shared = SharedTensors()
        self._effects = Effects()
        self._iterations = _Iterations()
        self._position = 0
        #: By id of a storage: its block, and the iterations that have it for themselves.
        self._blocks: dict[int, _Block] = {}
        self._private: dict[int, dict[object, int]] = {}
        self._areas: dict[tuple[object, ...], str] = {}
        self._next = count(1)
        self._alike = stored_alike(items)
        self._stored_alike: set[int] = set()
        self._outputs: dict[tuple[object, ...], tuple[int, Tensor]] = {}

    def run(self) -> None:
        self._note_alike()
        for step in interleaved(self._items):
            if step is None:
                self._forget_programs("a barrier")
            elif isinstance(step, Exchange):
                self._exchange(step)
            elif step == ABANDONED:
                raise NotLowered("a barrier or an exchange that not all programs come to")
            else:
                self._item(step)
        for position, tensor in self._outputs.values():
            self._position = position
            area = self._area(tensor, None)
            if area:
                self._claim("df.output_written", tensor, area, "written || unknown")
        for block in self.result.blocks:
            block.drop_uncontested()
        self.result.number_questions()

    def _note_alike(self) -> None:
        """Find the storages to which all programs store the same: whether others meet there is not claimed."""
        for item in self._items:
            if isinstance(item, Allocation):
                self._shared.allocate(item)
        for position in self._alike:
            item = self._items[position]
            if isinstance(item, Executed):
                written = item.operation.writes.values()
                self._stored_alike.update(id(self._shared.first(view.storage)) for view in written)
        self._shared = SharedTensors()

    # --- items --------------------------------------------------------------------------------------------------------

    def _item(self, position: int) -> None:
        item = self._items[position]
        self._position = position
        if isinstance(item, Executed):
            for effect in self._begin(position, item):
                self._effect(effect)
        elif isinstance(item, Allocation):
            self._iterations.executes(item.program)
            if self._shared.allocate(item):
                self._allocated(item)
        elif isinstance(item, Returned):
            for tensor in item.tensors:
                storage = self._shared.first(tensor.storage)
                place = (id(storage), tensor.dtype, tensor.shape, tensor.strides, tensor.offset)
                self._outputs.setdefault(place, (position, tensor))
        elif isinstance(item, Iteration):
            self._iterations.iteration(item)
        elif isinstance(item, ParallelLoop):
            self._iterations.loop(item)

    def _begin(self, position: int, item: Executed) -> list[Effect]:
        """The effects of an operation that is executed now."""
        self._position = position
        self._iterations.executes(item.operation.program)
        return self._effects.of(item.operation)

    def _exchange(self, exchange: Exchange) -> None:
        """All programs send before any receives."""
        known = {}
        for position, _ in exchange.received:
            item = self._items[position]
            assert isinstance(item, Executed)
            known[position] = item, self._begin(position, item)
            for effect in known[position][1]:
                if not effect.writes:
                    self._effect(effect)
        for position, (item, effects) in known.items():
            self._position = position
            self._iterations.executes(item.operation.program)
            for effect in effects:
                if effect.writes:
                    self._effect(effect)
        # Whether that orders what programs did before is not documented: nothing is claimed of it.
        self._forget_programs("an exchange")

    def _allocated(self, item: Allocation) -> None:
        storage = item.storage
        everyone = {_PROGRAMS} if storage.buffer is SHARED_HBM and item.program else set()
        around = self._iterations.around.items()
        self._private[id(storage)] = {loop: number for loop, number in around if loop not in everyone}
        self._block(storage).written = False

    # --- effects ------------------------------------------------------------------------------------------------------

    def _effect(self, effect: Effect) -> None:
        if effect.does is Does.READ:
            self._read(effect)
        elif effect.does is Does.ACCUMULATE:
            self._accumulate(effect)
        elif effect.does in (Does.WRITE, Does.CLOBBER):
            self._write(effect)

    def _read(self, effect: Effect) -> None:
        view = effect.view
        if is_moved(view):
            self.result.left_out += 1
            return
        part = touched(effect.operation, effect.argument, writes=False)
        area = self._area(view, part.may)
        if view.storage.buffer is PSUM and not adds_product(effect.operation) and area:
            self._line(view, f"product = {area} && product == 1 ? 2 : product;")
        if part.exact:
            self._use(effect, area, "added" if effect.commutes else "read")
        sure = self._area(view, part.must)
        if sure:
            rule = "df.sum_unwritten" if begins_sum(effect) else reading_rule(view.storage)
            self._claim(rule, view, sure, "written || unknown")

    def _accumulate(self, effect: Effect) -> None:
        view = effect.view
        if not effect.certain or is_moved(view):
            self.result.left_out += 1
            return
        area = self._area(view, touched(effect.operation, effect.argument, writes=True).may)
        if view.storage.buffer is not PSUM or not area:
            return
        if effect.operation.attributes.get("accumulate") is not True:
            self._claim("df.accumulate_stale", view, area, "product != 2")
            return
        self._claim("df.accumulate_unwritten", view, area, "written")
        if self._strict:
            self._claim("df.accumulate_other", view, area, "!written || product != 0")

    def _write(self, effect: Effect) -> None:
        view = effect.view
        part = touched(effect.operation, effect.argument, writes=True)
        if not effect.certain or not part.exact:
            # What it leaves out is not known.
            self.result.left_out += 1
            self._line(view, f"unknown = {self._anywhere(view)} ? !written : unknown;")
            self._block(view.storage).partly = True
            return
        area = self._area(view, part.must)
        if not area:
            return
        if effect.does is Does.CLOBBER:
            self._set(view, area, written=0)
            return
        self._set(view, area, written=1)
        if view.storage.buffer is PSUM:
            self._line(view, f"product = {area} ? {int(adds_product(effect.operation))} : product;")
        self._use(effect, area, "added" if effect.commutes else "wrote")

    def _set(self, view: Tensor, area: str, written: int) -> None:
        self._line(view, f"written = {area} ? {written} : written;")
        if self._block(view.storage).partly:
            self._line(view, f"unknown = {area} ? 0 : unknown;")

    # --- iterations and programs without an order ---------------------------------------------------------------------

    def _use(self, effect: Effect, area: str, how: str) -> None:
        """Claim that no other iteration, or program, does what it must not do to the same elements."""
        storage = self._shared.first(effect.view.storage)
        if not area or is_register_file(storage):
            return
        for loop, number in self._meeting(storage):
            rule = "df.programs" if loop == _PROGRAMS else "df.affine_range"
            if loop == _PROGRAMS and id(storage) in self._stored_alike:
                self.result.left_out += 1
                continue
            block = self._block(storage)
            user = block.users.setdefault(loop, len(block.users))
            iterations = block.iterations.setdefault(loop, {})
            mine = iterations.setdefault(number, len(iterations) + 1)
            block.uses.setdefault(loop, set()).add(how)
            alone = (f"({other}{user} == 0 || {other}{user} == {mine})" for other in _clashing(how))
            self._claim(rule, effect.view, area, f"({' && '.join(alone)})", loop)
            mark = f"{how}{user}"
            self._line(
                effect.view, f"{mark} = !{area} ? {mark} : {mark} == 0 || {mark} == {mine} ? {mine} : -1;", None, loop
            )

    def _meeting(self, storage: Storage) -> Iterator[tuple[object, int]]:
        """The loops around, and the launch, whose other iterations, or programs, have the same storage."""
        private = self._private.get(id(storage), {})
        for loop, number in self._iterations.around.items():
            if loop not in private and not (storage.buffer.on_chip and loop == _PROGRAMS):
                yield loop, number

    def _forget_programs(self, why: str) -> None:
        """Take what programs did before for done."""
        for block in self._blocks.values():
            user = block.users.get(_PROGRAMS)
            if user is not None:
                reset = f"wrote{user} = 0; read{user} = 0; added{user} = 0;  // {why}"
                block.steps.append((None, reset, _PROGRAMS))

    # --- elements -----------------------------------------------------------------------------------------------------

    def _area(self, view: Tensor, inside: Inside | None) -> str:
        """The name of the condition that the element is one of a view's, or of those `inside`; "" where there is none.

        Raises `NotLowered` for a view that leaves its tensor.
        """
        storage = self._shared.first(view.storage)
        geometry = self._layouts.geometry(view, storage)
        known = (id(storage), geometry.key, None if inside is None else inside.tobytes())
        if known not in self._areas:
            self._areas[known] = self._named(storage, pieces(geometry, inside))
        return self._areas[known]

    def _named(self, storage: Storage, found: Sequence[Piece]) -> str:
        if not found:
            return ""
        size = self._size(storage)
        if size > _MOST_UNITS:
            raise NotLowered("a tensor of more than 32 bits of elements")
        for piece in found:
            last = piece.start + sum(step * (extent - 1) for step, extent in piece.axes)
            if piece.start < 0 or last >= size:
                raise NotLowered("a view that leaves its tensor")
        self.result.places = max(self.result.places, size)
        block = self._block(storage)
        name = f"in{len(block.areas)}"
        block.areas.append(f"const _Bool {name} = {condition_of(found)};")
        return name

    def _anywhere(self, view: Tensor) -> str:
        """The condition that the element is one that an index, or a mask, may choose."""
        storage = self._shared.first(view.storage)
        geometry = self._layouts.anywhere(view, storage) if is_moved(view) else None
        if geometry is None or not geometry.count or geometry.reach[0] < 0 or geometry.reach[1] >= self._size(storage):
            return "1"
        return f"({condition_of(pieces(geometry))})"

    def _size(self, storage: Storage) -> int:
        return int(storage.size) * (storage.dtype.itemsize // self._layouts.unit(storage))

    def _block(self, storage: Storage) -> _Block:
        """The block of a tensor. What was not allocated in the run is an argument, which is defined."""
        storage = self._shared.first(storage)
        block = self._blocks.get(id(storage))
        if block is None:
            block = self._blocks[id(storage)] = _Block(storage.name or "a tensor", not is_register_file(storage))
            self.result.blocks.append(block)
        return block

    # --- lines --------------------------------------------------------------------------------------------------------

    def _claim(self, rule: str, view: Tensor, area: str, condition: str, loop: object = None) -> None:
        """Assert a condition of elements; the claim is that of its contract at this item of the run."""
        key = (rule, self._position)
        if key not in self.result.claims:
            site = getattr(self._items[self._position], "site", None)
            stated = contract(rule)
            self.result.claims[key] = Claim(next(self._next), stated, True, stated.phase, site, "")
        number = self.result.claims[key].number
        self.result.tensors.setdefault(number, self._block(view.storage).name)
        self._line(view, f"!{area} || {condition}", number, loop)

    def _line(self, view: Tensor, text: str, number: int | None = None, loop: object = None) -> None:
        """A step of the tensor that is viewed, behind the name of the operation that it belongs to.

        With the `number` of a claim `text` is the condition of a question, else a line of the program.
        """
        block, item = self._block(view.storage), self._items[self._position]
        if block.position != self._position:
            block.position = self._position
            name = item.operation.name if isinstance(item, Executed) else "the end"
            reported = ", ".join(filter(None, (name, place(getattr(item, "site", None)))))
            block.steps.append((None, f"// {one_line(reported)}", None))
        block.steps.append((number, text, loop))


def _clashing(how: str) -> tuple[str, ...]:
    """The things that others must not do to an element that something is done to: sums in place commute."""
    return {"wrote": ("wrote", "read", "added"), "read": ("wrote", "added"), "added": ("wrote", "read")}[how]
