"""The on-chip allocations that a shape program makes, and the operations that use them.

An allocation in the body of a loop stands for one instance per iteration. Its *home* is the innermost frame (loop body,
or the program itself) in which every use of an instance happens in the iteration that made it. An allocation whose home
is further out than its own frame escapes the loops between them: a list keeps its instances, and all of them are live
together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Branch, Item, Loop, Program
from nkiverify.ir.walk import Visitor
from nkiverify.model.recorded import Allocation, Executed
from nkiverify.model.state import LoopBody
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Index, Term

#: What identifies an allocation in all its iterations.
Key = tuple[tuple[int, ...], Site | None]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The program itself (`loop` None), or the body of a loop; `chain` are the frames of the loops around and of it."""

    loop: Loop | None
    chain: tuple[Frame, ...]

    @staticmethod
    def inside(outer: Frame, loop: Loop) -> Frame:
        """The frame of a loop in `outer`."""
        frame = Frame(loop, ())
        object.__setattr__(frame, "chain", (*outer.chain, frame))
        return frame


@dataclass(slots=True, eq=False)
class Allocated:
    """The facts that all instances of an allocation have in common.

    `shared` is the number of loops around it whose iteration every use shares; `fixed` are the iterations, as terms,
    that uses outside of it name, None where they may be any.
    """

    storage: Storage
    site: Site | None
    frame: Frame
    shared: int
    used: bool = False
    #: A legacy result: `assigned` to its place, where the instruction writes in the first place; `read` otherwise.
    assigned: bool = False
    read: bool = False
    fixed: dict[tuple[int, ...], tuple[Term, ...]] | None = field(default_factory=dict)

    @property
    def takes_space(self) -> bool:
        """True if there is memory for it: a result that is only assigned is computed where it is assigned to."""
        return self.used and (self.read or not self.assigned)

    @property
    def escapes(self) -> bool:
        """True if instances of several iterations are live at one time."""
        return self.shared < len(self.frame.chain)

    @property
    def home(self) -> Frame | None:
        """The frame all uses of one instance happen in; None for the program itself."""
        return self.frame.chain[self.shared - 1] if self.shared else None

    @property
    def crossed(self) -> tuple[Loop, ...]:
        """The loops its instances escape, outermost first."""
        return tuple(frame.loop for frame in self.frame.chain[self.shared :] if frame.loop is not None)


@dataclass(slots=True)
class AllocationUse:
    """An operation's use of an allocation; `same` says how many loops around the allocation are in the same
    iteration."""

    allocated: Allocated
    same: int


@dataclass(slots=True, eq=False)
class Usage:
    """The allocations of a program, those of the sides of a branch apart, and the uses each operation makes of them."""

    allocated: list[Allocated] = field(default_factory=list)
    uses: dict[Executed, list[AllocationUse]] = field(default_factory=dict)
    frames: dict[Loop, Frame] = field(default_factory=dict)
    root: Frame = field(default_factory=lambda: Frame(None, ()))
    #: What is used in the body of each device loop, but was allocated outside it.
    carried: dict[LoopBody, set[Allocated]] = field(default_factory=dict)
    #: The tensors on chip that a helper was given, by what identifies them.
    given: dict[object, Allocated] = field(default_factory=dict)
    #: A storage that is used without having been allocated: nothing can be said then.
    unknown: Storage | None = None


def usage_of(program: Program) -> Usage:
    """The on-chip allocations and uses of `program`."""
    usage = Usage()
    _Uses(usage).visit(program.body)
    return usage


#: What was allocated on the way to a place, by what identifies it: after a loop, on any path through its body.
_Known = dict[Key, tuple[Allocated, ...]]


class _Uses(Visitor[None]):
    """Notes what a program allocates and uses, and what has been allocated on the way to a place."""

    def __init__(self, usage: Usage) -> None:
        self._usage = usage
        self._frame = usage.root
        self._known: _Known = {}

    def recorded(self, item: Item) -> Iterable[None]:
        if isinstance(item, Allocation):
            _allocate(item, self._frame, self._usage, self._known)
        elif isinstance(item, Executed):
            self._usage.uses[item] = [
                use for view in on_chip_views(item) for use in _uses(item, view, self._frame, self._usage, self._known)
            ]
        return ()

    def loop(self, item: Loop) -> Iterable[None]:
        around = self._frame
        self._frame = self._usage.frames[item] = Frame.inside(around, item)
        self.visit(item.body)
        self._frame = around
        return ()

    def branch(self, item: Branch) -> Iterable[None]:
        known = self._known
        sides: list[_Known] = []
        for _, arm in item.arms:
            self._known = dict(known)
            self.visit(arm)
            sides.append(self._known)
        for key in {**sides[0], **sides[1]}:
            found = dict.fromkeys((*sides[0].get(key, ()), *sides[1].get(key, ())))
            known[key] = tuple(found)
        self._known = known
        return ()


def on_chip_views(item: Executed) -> Iterator[Tensor]:
    """The SBUF and PSUM operands of an operation."""
    for view in (*item.operation.reads.values(), *item.operation.writes.values()):
        if view.storage.buffer.on_chip:
            yield view


def _key(storage: Storage) -> Key | None:
    identity = storage.identity
    return (identity.key, identity.site) if hasattr(identity, "key") else None  # type: ignore[attr-defined]


def _allocate(item: Allocation, frame: Frame, usage: Usage, known: _Known) -> None:
    storage = item.storage
    key = _key(storage)
    if storage.buffer.on_chip and key is not None:
        allocated = Allocated(storage, item.site, frame, len(frame.chain))
        usage.allocated.append(allocated)
        known[key] = (allocated,)


def _uses(item: Executed, view: Tensor, frame: Frame, usage: Usage, known: _Known) -> Iterator[AllocationUse]:
    key = _key(view.storage)
    if isinstance(view.storage.identity, tuple):
        yield AllocationUse(_given(view.storage, usage), 0)
        return
    found = known.get(key, ()) if key is not None else ()
    if not found:
        usage.unknown = view.storage
    for allocated in found:
        yield _use(item, view, frame, usage, allocated)


def _given(storage: Storage, usage: Usage) -> Allocated:
    """A tensor that the caller of a helper has allocated."""
    if storage.identity not in usage.given:
        given = usage.given[storage.identity] = Allocated(storage, None, usage.root, 0, used=True, read=True)
        usage.allocated.append(given)
    return usage.given[storage.identity]


def _use(item: Executed, view: Tensor, frame: Frame, usage: Usage, allocated: Allocated) -> AllocationUse:
    storage = view.storage
    indices: tuple[Term, ...] = storage.identity.indices  # type: ignore[attr-defined]
    same = 0
    for mine, theirs, index in zip(allocated.frame.chain, frame.chain, indices, strict=False):
        if mine is not theirs or mine.loop is None or index is not terms.of_atom(mine.loop.index):
            break
        same += 1
    allocated.used = True
    _note_purpose(allocated, item, view)
    if same < len(allocated.frame.chain):
        allocated.shared = min(allocated.shared, same)
        _note_fixed(allocated, indices, same)
    body = item.operation.body
    while body is not None and not _within(storage.body, body):
        usage.carried.setdefault(body, set()).add(allocated)
        body = body.outer
    return AllocationUse(allocated, same)


def _note_purpose(allocated: Allocated, item: Executed, view: Tensor) -> None:
    writes = item.operation.writes
    if item.operation.declared.behaviour.assigns and view is not writes.get("dst"):
        allocated.assigned = True
    elif view is not writes.get("result"):
        allocated.read = True


def _within(inner: LoopBody | None, outer: LoopBody) -> bool:
    while inner is not None and inner is not outer:
        inner = inner.outer
    return inner is outer


def _note_fixed(allocated: Allocated, indices: tuple[Term, ...], same: int) -> None:
    """True if a use names one iteration, whatever loop the use itself is in."""
    around = {frame.loop.index for frame in allocated.frame.chain[:same] if frame.loop is not None}
    for index in indices[same:]:
        if any(isinstance(atom, Index) and atom not in around for atom in terms.all_atoms(index)):
            allocated.fixed = None
            return
    if allocated.fixed is not None:
        # Equal terms are one object.
        allocated.fixed[tuple(map(id, indices))] = indices
