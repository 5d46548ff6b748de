"""Kernels that do the same with every block of their tensors: what one dimension changes is how many blocks there are.

For one dimension m of the domain, whatever the values of the others are, it is shown that

- tensors in HBM are m blocks of equally many elements along one axis, or do not depend on m ("shared" ones);
- loops run q times for each block, q not depending on m, and their iteration i touches, of a tensor of blocks, the
  i-th part of equal size, at places, with operations and arguments that are the same in every iteration;
- an iteration leaves nothing for others but sums: a tensor from outside the loop that it writes is only added to,
  in place, and nothing in a loop reads it;
- what comes of sums behind a loop is affine in them, and nothing outside loops touches a tensor of blocks.

Loops that do not depend on m are taken as what they stand for, their body this many times: their indices, as the other
dimensions, are any fixed numbers. So a block of a result is one function of the same block of the arguments, and of
shared ones, for every m and every block; and a shared result is c + the sum over the blocks of one function of a
block, where c and the function are the same for every m. It errs on the side of too few kernels: what is not listed
here is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from enum import Enum

from nkiverify.analysis.effects import adds_product
from nkiverify.analysis.reduction_registers import Command, command_of
from nkiverify.analysis.sets.keys import Key, indices_of, key_of
from nkiverify.analysis.uniform import UnknownValue, computation, place_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import CARRIED, SEARCHED, Assume, Block, Branch, Claim, Item, Loop, Program
from nkiverify.ir.walk import Visitor, carries_state
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Storage, Tensor, row_major
from nkiverify.symbolic import Extent, constant_value, product, terms
from nkiverify.symbolic.atoms import Dimension, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Condition, at_most_zero
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.values import as_term

#: Operations that are linear in one operand, whatever the others are, if only that one comes of sums.
_LINEAR_IN_ONE = frozenset(("nisa.nc_matmul", "nl.matmul"))
#: Operations that are linear in all operands together.
_LINEAR = frozenset(("nisa.dma_transpose", "nl.negative", "nl.sum", "nl.broadcast_to", "nl.add", "nl.subtract"))
#: Those that have an operator, and are linear if it is one of these.
_WITH_OPERATOR = frozenset(("nisa.tensor_tensor", "nisa.tensor_reduce", "nisa.tensor_partition_reduce"))
_ADDITIVE = frozenset(("add", "subtract"))


@dataclass(frozen=True, slots=True)
class NotAlike(Exception):
    """Something that is not known to be the same for every block: what, and where."""

    why: str
    site: Site | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The blocks of a tensor: one after the other in each of `outer` rows, `size` elements of each row in a block."""

    outer: Term
    size: Term


def laid_out_alike(one: Layout | None, other: Layout | None) -> bool:
    """True if the same elements, in row-major order, are in a block of both of two tensors."""
    if one is None or other is None:
        return one is other
    return one.outer is other.outer and one.size is other.size


@dataclass(frozen=True, slots=True)
class Blocks:
    """A kernel that does the same with every block: how the arguments that it touches, and its results, are made of
    blocks (None for what does not depend on the dimension), and which results come of sums over them."""

    arguments: dict[str, Layout | None]
    results: tuple[Layout | None, ...]
    #: The results, by position, that come of sums over the blocks.
    sums: frozenset[int]
    #: Whether it touches arguments that are no floats.
    integers: bool


class _Added(Enum):
    """The way in which a loop adds to a tensor."""

    ELEMENTS = "elements"
    #: A product to what products have begun, as `accumulate` says.
    PRODUCT = "product"
    PRODUCT_TO_WHAT_IS_THERE = "product to what is there"


def blocks_of(program: Program, dimension: str) -> Blocks:
    """The kernel of a symbolic program, seen as above for one of its dimensions. Raises `NotAlike`."""
    if carries_state(program):
        raise NotAlike(CARRIED)
    if program.searches:
        raise NotAlike(SEARCHED)
    if any(one.choices for one in program.dimensions):
        raise NotAlike("a dimension stands for options")
    ranges = [bound for one in program.dimensions for bound in (one.at_least(one.smallest), one.at_most(one.greatest))]
    walk = _Walk(dimension, Facts().extended(*ranges))
    walk.visit(program.body)
    return Blocks(walk.arguments, tuple(walk.results or ()), frozenset(walk.results_of_sums), walk.integers)


@dataclass(frozen=True, slots=True)
class _Iteration:
    """An arbitrary iteration of a loop over blocks: its index, the loop's number of iterations for each block, the
    tensors that it allocates, with the indices of the loops around, and those that it adds to."""

    index: Index
    times: Term
    own: dict[Key, tuple[Term, ...]]
    added: frozenset[Key]


def check_claim(item: Claim) -> None:
    """Raises `NotAlike` where a loop is unrolled."""
    if item.unwinding:
        raise NotAlike("a loop is unrolled", item.site)


def check_assumed(item: Assume) -> None:
    """Raises `NotAlike` where what is assumed is about more than one dimension."""
    if isinstance(item.condition, Condition):
        if item.condition.indices():
            raise NotAlike(f"{item.text} is about single iterations")
        if sum(isinstance(atom, Dimension) for atom in item.condition.atoms()) > 1:
            raise NotAlike(f"{item.text} is about several dimensions together")


def check_recorded(item: Item) -> None:
    """Raises `NotAlike` for anything but a tensor whose place is not chosen."""
    if not isinstance(item, Allocation):
        raise NotAlike("a condition that the dimension may decide", getattr(item, "site", None))
    if item.storage.address is not None or item.storage.allocator is not None:
        raise NotAlike("it places a tensor itself, where others may lie", item.site)


class _Inside(Visitor[tuple[Item, Facts]]):
    """The records in a loop over blocks, with the facts that hold there; loops in it are the same each time."""

    def __init__(self, walk: _Walk, facts: Facts) -> None:
        self._walk = walk
        self._facts = facts

    def recorded(self, item: Item) -> Iterable[tuple[Item, Facts]]:
        return ((item, self._facts),)

    def assume(self, item: Assume) -> Iterable[tuple[Item, Facts]]:
        check_assumed(item)
        return ()

    def claim(self, item: Claim) -> Iterable[tuple[Item, Facts]]:
        check_claim(item)
        return ()

    def loop(self, item: Loop) -> Iterable[tuple[Item, Facts]]:
        return self._within(item.body, self._walk.entered(item, self._facts))

    def branch(self, item: Branch) -> Iterable[tuple[Item, Facts]]:
        self._walk.check_branch(item)
        return super().branch(item)

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[tuple[Item, Facts]]:
        return self._within(block, self._facts.extended(condition))

    def _within(self, block: Block, facts: Facts) -> Iterator[tuple[Item, Facts]]:
        around, self._facts = self._facts, facts
        yield from self.block(block)
        self._facts = around


@dataclass(slots=True)
class _Walk(Visitor[None]):
    dimension: str
    #: What is known of the dimensions.
    facts: Facts
    #: Tensors that loops add to, and what is computed from them, by allocation.
    _sums: dict[Key, _Added | None] = field(default_factory=dict)
    #: The allocations in loops over blocks, which nothing outside their loop may touch.
    _of_loops: set[Key] = field(default_factory=set)
    #: The indices of loops that do not depend on the dimension.
    _fixed: set[Index] = field(default_factory=set)
    _site: Site | None = None
    arguments: dict[str, Layout | None] = field(default_factory=dict)
    results: list[Layout | None] | None = None
    results_of_sums: set[int] = field(default_factory=set)
    integers: bool = False

    def recorded(self, item: Item) -> Iterable[None]:
        if isinstance(item, Executed):
            self._site = item.site
            self._outside(item.operation)
        elif isinstance(item, Returned):
            if self.results is not None:
                raise NotAlike("it returns at several places")
            self.results = [self._returned(view, place) for place, view in enumerate(item.tensors)]
        else:
            check_recorded(item)
        return ()

    def assume(self, item: Assume) -> Iterable[None]:
        check_assumed(item)
        return ()

    def claim(self, item: Claim) -> Iterable[None]:
        check_claim(item)
        return ()

    def loop(self, item: Loop) -> Iterable[None]:
        self._site = item.site
        if self._is_fixed(item.extent):
            self._repeated(item)
        else:
            self._over_blocks(item)
        return ()

    def branch(self, item: Branch) -> Iterable[None]:
        self.check_branch(item)
        return super().branch(item)

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[None]:
        around = self.facts
        self.facts = around.extended(condition)
        self.visit(block)
        self.facts = around
        return ()

    def check_branch(self, branch: Branch) -> None:
        """Raises `NotAlike` where the dimension may decide which way a branch goes."""
        if not self._is_same(branch.condition):
            raise NotAlike("a condition that the dimension may decide", branch.site)

    # --- loops --------------------------------------------------------------------------------------------------------

    def entered(self, loop: Loop, facts: Facts) -> Facts:
        """Go into a loop that does not depend on the dimension: the facts that hold there."""
        self._site = loop.site
        if loop.counts:
            raise self._refused("numbers change from one iteration to the next")
        if not self._is_fixed(loop.extent):
            raise self._refused("a loop in a loop depends on the dimension, or on the iteration")
        self._fixed.add(loop.index)
        return facts.extended(*loop.bounds)

    def _repeated(self, loop: Loop) -> None:
        """A loop that does not depend on the dimension, with whatever is in it, until nothing new comes of it."""
        around = self.facts
        self.facts = self.entered(loop, around)
        known: dict[Key, _Added | None] | None = None
        while self._sums != known:
            known = dict(self._sums)
            self.visit(loop.body)
        self.facts = around

    def _over_blocks(self, loop: Loop) -> None:
        times = self._multiple(loop.extent, "the number of iterations of a loop")
        if loop.counts:
            raise self._refused("numbers change from one iteration to the next")
        executed: list[tuple[Executed, Facts]] = []
        own: dict[Key, tuple[Term, ...]] = {}
        for item, known in _Inside(self, self.facts).block(loop.body):
            if isinstance(item, Executed):
                executed.append((item, known))
            else:
                check_recorded(item)
                if isinstance(item, Allocation):
                    own[key_of(item.storage)] = indices_of(item.storage)
        self._of_loops |= own.keys()
        added = frozenset(
            key_of(view.storage)
            for item, _ in executed
            for view in item.operation.writes.values()
            if self._layout(view.storage) is None and key_of(view.storage) not in own
        )
        iteration = _Iteration(loop.index, times, own, added)
        for item, known in executed:
            self._site = item.site
            self._in_iteration(item.operation, iteration, known)
        self._sums.update({key: self._sums.get(key) for key in added})

    def _in_iteration(self, operation: Operation, iteration: _Iteration, facts: Facts) -> None:
        self._same_computation(operation)
        for view in operation.views:
            self._same_shape(view)
            layout = self._layout(view.storage)
            if layout is not None:
                self._own_part(view, layout, iteration, facts)
                continue
            self._same_place(view)
            key = key_of(view.storage)
            if key in iteration.own:
                # Terms that are equal are one object.
                if [*map(id, indices_of(view.storage))] != [*map(id, iteration.own[key])]:
                    raise self._refused("it touches what another iteration has allocated")
            elif key in self._of_loops:
                raise self._refused("it touches what a loop has allocated outside of it")
        for key in iteration.added:
            self._only_added_to(key, operation)
        touched = {key_of(view.storage) for view in operation.reads.values()}
        if touched & self._sums.keys() - iteration.added:
            raise self._refused("an iteration reads sums over the iterations before it")

    def _own_part(self, view: Tensor, layout: Layout, iteration: _Iteration, facts: Facts) -> None:
        """Iteration i touches, in each row, the elements from i * part to (i + 1) * part - 1 alone."""
        times_dimension, rest = self._in_dimension(view.offset)
        split = terms.coefficient_of(rest, iteration.index)
        row = _quotient(times_dimension, layout.size)
        if split is None or row is None or not all(map(self._is_fixed, (row, *split))):
            raise self._refused("an iteration does not touch its own part of a tensor alone")
        part, start = split
        if terms.multiply(part, iteration.times) is not layout.size:
            raise self._refused("an iteration does not touch its own part of a tensor alone")
        ends = [[start, start], [row, row]]
        for stride, extent in zip(view.strides, view.shape, strict=True):
            outer, inner = self._in_dimension(stride)
            rows = _quotient(outer, layout.size)
            if rows is None or not self._is_fixed(rows) or not self._is_fixed(inner):
                raise self._refused("the shape of an operand depends on the dimension, or on the iteration")
            count = terms.add(_term(extent), terms.constant(-1))
            for step, (which, bounds) in zip((inner, rows), enumerate(ends), strict=True):
                reach = terms.multiply(step, count)
                if _at_least_zero(facts, reach):
                    ends[which][1] = terms.add(bounds[1], reach)
                elif _at_least_zero(facts, terms.scale(reach, -1)):
                    ends[which][0] = terms.add(bounds[0], reach)
                else:
                    raise self._refused("it is not known in which direction an operand goes")
        for (low, high), size in zip(ends, (part, layout.outer), strict=True):
            last = terms.add(size, terms.constant(-1))
            inside = _at_least_zero(facts, low) and _at_least_zero(facts, terms.add(last, high, -1))
            if not inside or view.dtype is not view.storage.dtype:
                raise self._refused("an iteration touches parts of a tensor that belong to others")

    def _only_added_to(self, key: Key, operation: Operation) -> None:
        """An operation in a loop adds to a tensor from outside it, or does not touch it."""
        views = [*operation.reads.items(), *operation.writes.items()]
        if all(key_of(view.storage) != key for _, view in views):
            return
        how = self._added(operation, key)
        if how is None or self._sums.get(key, how) not in (how, None):
            raise self._refused("an iteration leaves something for others that is no sum")
        if self._sums.get(key) is None:
            self._sums[key] = how

    def _added(self, operation: Operation, key: Key) -> _Added | None:
        """How an operation adds, to a tensor of floats, what does not come from that tensor."""
        target = operation.writes.get("dst")
        if len(operation.writes) != 1 or target is None or not target.dtype.is_float:
            return None
        others = {name: view for name, view in operation.reads.items() if key_of(view.storage) == key}
        if adds_product(operation):
            accumulate = operation.attributes.get("accumulate")
            if not (accumulate is None or accumulate is True) or not set(others) <= {"dst"}:
                return None
            return _Added.PRODUCT if accumulate is None else _Added.PRODUCT_TO_WHAT_IS_THERE
        adds = operation.name == "nl.add" or (
            operation.name == "nisa.tensor_tensor" and _operator(operation, "op") == "add"
        )
        if not adds or len(others) != 1:
            return None
        (same,) = others.values()
        return _Added.ELEMENTS if place_of(same, []) == place_of(target, []) else None

    # --- outside loops ------------------------------------------------------------------------------------------------

    def _outside(self, operation: Operation) -> None:
        self._same_computation(operation)
        for view in operation.views:
            self._same_shape(view)
            if self._layout(view.storage) is not None:
                raise self._refused("something outside of loops touches a tensor of blocks")
            self._same_place(view)
            if key_of(view.storage) in self._of_loops:
                raise self._refused("something outside of a loop touches what it has allocated")
        if any(key_of(view.storage) in self._sums for view in operation.reads.values()):
            if not self._is_affine(operation):
                raise self._refused("what is made of sums over the blocks may be no linear function of them")
            for view in operation.writes.values():
                self._sums.setdefault(key_of(view.storage), None)

    def _is_affine(self, operation: Operation) -> bool:
        """True if what an operation writes is surely an affine function of the operands that come of sums."""
        summed = {name for name, view in operation.reads.items() if key_of(view.storage) in self._sums} - {"dst"}
        if any(not view.dtype.is_float for view in operation.views):
            return False
        if operation.declared.behaviour.moves:
            return operation.attributes.get("dst_rmw_op") is None
        name = operation.name
        if name in _LINEAR_IN_ONE:
            return len(summed & {"stationary", "moving", "x", "y"}) == 1
        if name in _WITH_OPERATOR:
            op = _operator(operation, "op")
            return op in _ADDITIVE or (op == "multiply" and name == "nisa.tensor_tensor" and len(summed) == 1)
        if name == "nisa.tensor_scalar":
            used = {_operator(operation, one) for one in ("op0", "op1") if operation.attributes.get(one) is not None}
            return summed == {"data"} and used <= _ADDITIVE | {"multiply"}
        return name in _LINEAR or (name == "nl.multiply" and len(summed) == 1)

    def _returned(self, view: Tensor, place: int) -> Layout | None:
        key = key_of(view.storage)
        if key in self._of_loops:
            raise NotAlike("it returns what a loop has allocated")
        in_order = zip(view.strides, row_major(view.shape), strict=True)
        whole = constant_value(view.offset) == 0 and as_term(view.size) is as_term(view.storage.size)
        if not whole or view.indirect_by is not None or any(as_term(one) is not as_term(two) for one, two in in_order):
            raise NotAlike("it returns a part of a tensor, or its elements in another order")
        if key in self._sums:
            self.results_of_sums.add(place)
        return self._layout(view.storage)

    # --- what has to be the same --------------------------------------------------------------------------------------

    def _same_computation(self, operation: Operation) -> None:
        found: list[Term] = []
        try:
            computation(operation, found)
        except UnknownValue:
            raise self._refused(f"{operation.name} has side effects, or a list, which may change") from None
        if not all(map(self._is_fixed, found)):
            raise self._refused(f"an argument of {operation.name} depends on the dimension, or on the iteration")
        if operation.program or operation.body is not None or operation.declared.dependence is None:
            raise self._refused("programs of a launch grid, device loops, or an operation without a model")
        if command_of(operation) is Command.JOIN:
            raise self._refused("reduction registers go on with what they hold")

    def _same_shape(self, view: Tensor) -> None:
        if view.indirect_by is not None:
            raise self._refused("indices known at run time")
        if not all(map(self._is_fixed, view.shape)):
            raise self._refused("the shape of an operand depends on the dimension, or on the iteration")
        if key_of(view.storage)[0] == "argument":
            self.integers |= not view.storage.dtype.is_float
            self.arguments[view.storage.name] = self._layout(view.storage)

    def _same_place(self, view: Tensor) -> None:
        """A view of what is not made of blocks."""
        if not all(map(self._is_fixed, view.strides)):
            raise self._refused("the shape of an operand depends on the dimension, or on the iteration")
        if not self._is_fixed(view.offset):
            raise self._refused("where an operand lies depends on the dimension, or on the iteration")

    def _layout(self, storage: Storage) -> Layout | None:
        """The blocks of a tensor in HBM; None for what does not depend on the dimension, as nothing on chip may."""
        axes = [axis for axis, extent in enumerate(storage.shape) if not self._is_fixed(extent)]
        if not axes:
            return None
        if storage.buffer.on_chip:
            raise self._refused("the size of a tensor on chip depends on the dimension")
        if len(axes) > 1:
            raise self._refused("several axes of a tensor depend on the dimension")
        (axis,) = axes
        times = self._multiple(storage.shape[axis], "the size of a tensor")
        outer, inner = (product(part) for part in (storage.shape[:axis], storage.shape[axis + 1 :]))
        return Layout(_term(outer), terms.multiply(times, _term(inner)))

    def _multiple(self, extent: Extent | Term, what: str) -> Term:
        """The factor q of an extent q * m; it does not depend on m, and is at least 1."""
        times, rest = self._in_dimension(extent)
        several = _at_least_zero(self.facts, terms.add(times, terms.constant(-1)))
        if rest.monomials or not self._is_fixed(times) or not several:
            raise self._refused(f"{what} is {extent}, no multiple of {self.dimension}")
        return times

    def _in_dimension(self, extent: Extent | Term) -> tuple[Term, Term]:
        """`(q, r)` with `extent == q * m + r`, where m is in neither, but may be inside other atoms."""
        for atom in _term(extent).atoms:
            if isinstance(atom, Dimension) and atom.name == self.dimension:
                found = terms.coefficient_of(_term(extent), atom)
                if found is None:
                    raise self._refused(f"{extent} is no linear function of {self.dimension}")
                return found
        return terms.constant(0), _term(extent)

    def _is_fixed(self, extent: Extent | Term) -> bool:
        """True if nothing in an extent depends on the dimension, or on an iteration of a loop over blocks."""
        if isinstance(extent, int):
            return True
        term = as_term(extent)
        return term is not None and all(self._is_known(atom) for atom in terms.all_atoms(term))

    def _is_same(self, condition: Condition) -> bool:
        """True if a condition is the same for all values of the dimension, and in all iterations."""
        return all(map(self._is_fixed, condition.terms()))

    def _is_known(self, atom: object) -> bool:
        if isinstance(atom, Dimension):
            return atom.name != self.dimension
        if isinstance(atom, Index):
            return atom in self._fixed
        return isinstance(atom, Div | Min | Select)

    def _refused(self, why: str) -> NotAlike:
        return NotAlike(why, self._site)


def _term(extent: Extent | Term) -> Term:
    term = as_term(extent)
    assert term is not None
    return term


def _quotient(term: Term, divisor: Term) -> Term | None:
    """The exact quotient of two polynomials, if there is one."""
    found = terms.divide(term, divisor)
    return found if terms.multiply(found, divisor) is term else None


def _at_least_zero(facts: Facts, term: Term) -> bool:
    return facts.proves(at_most_zero(terms.scale(term, -1)))


def _operator(operation: Operation, parameter: str) -> str:
    return str(getattr(operation.attributes.get(parameter), "name", ""))
