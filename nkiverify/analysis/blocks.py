"""Kernels that do the same with every block of their tensors: what one dimension changes is how many blocks there are.

For one dimension m of the domain, all other sizes being numbers, it is shown that

- tensors in HBM are m blocks of equally many elements one after the other, or do not depend on m ("shared" ones);
- loops run q times for each block, q a number, and their iteration i touches, of a tensor of blocks, the i-th part of
  equal size, at places, with operations and arguments that are the same in every iteration;
- an iteration leaves nothing for others but sums: a tensor from outside the loop that it writes is only added to,
  in place, and nothing in a loop reads it;
- what comes of sums behind a loop is affine in them, and nothing outside loops touches a tensor of blocks.

So a block of a result is one function of the same block of the arguments, and of shared ones, for every m and every
block; and a shared result is c + the sum over the blocks of one function of a block, where c and the function are the
same for every m. It errs on the side of too few kernels: what is not listed here is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from nkiverify.analysis.alike import UnknownValue, computation, place_of
from nkiverify.analysis.effects import adds_product
from nkiverify.analysis.reduction_registers import Command, command_of
from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.foundation.source import Site
from nkiverify.ir.program import CARRIED, Assume, Claim, Loop, Program
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Storage, Tensor, row_major
from nkiverify.symbolic import Extent, constant_value
from nkiverify.symbolic.atoms import Atom, Dimension, Index, Term
from nkiverify.symbolic.conditions import Condition
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


@dataclass(frozen=True, slots=True)
class Blocks:
    """A kernel that does the same with every block; `arguments` are those that it touches and that are made of blocks,
    `integers` whether it touches arguments that are no floats."""

    arguments: frozenset[str]
    integers: bool


class _Added(Enum):
    """The way in which a loop adds to a tensor."""

    ELEMENTS = "elements"
    #: A product to what products have begun, as `accumulate` says.
    PRODUCT = "product"
    PRODUCT_TO_WHAT_IS_THERE = "product to what is there"


def blocks_of(program: Program, dimension: str) -> Blocks:
    """The kernel of a symbolic program with one dimension, seen as above. Raises `NotAlike`."""
    walk = _Walk(dimension)
    walk.run(program)
    return Blocks(frozenset(walk.arguments), walk.integers)


@dataclass(slots=True)
class _Walk:
    dimension: str
    #: Tensors that loops add to, and what is computed from them, by allocation.
    _sums: dict[Key, _Added | None] = field(default_factory=dict)
    #: The allocations in loops, which nothing outside their loop may touch.
    _of_loops: set[Key] = field(default_factory=set)
    _site: Site | None = None
    arguments: set[str] = field(default_factory=set)
    integers: bool = False

    def run(self, program: Program) -> None:
        """Look at all of a program."""
        if program.hands_on:
            raise NotAlike(CARRIED)
        if [one.atom.name for one in program.dimensions] != [self.dimension]:
            raise NotAlike(f"it has other dimensions than {self.dimension}")
        for item in program.body.items:
            if isinstance(item, Loop):
                self._loop(item)
            elif isinstance(item, Executed):
                self._site = item.site
                self._outside(item.operation)
            elif isinstance(item, Returned):
                for view in item.tensors:
                    self._returned(view)
            else:
                self._other(item)

    def _other(self, item: object) -> None:
        if isinstance(item, Claim):
            if item.unwinding:
                raise NotAlike("a loop is unrolled", item.site)
        elif isinstance(item, Assume):
            if isinstance(item.condition, Condition) and item.condition.indices():
                raise NotAlike(f"{item.text} is about single iterations")
        elif isinstance(item, Allocation):
            storage = item.storage
            if storage.address is not None or storage.allocator is not None:
                raise NotAlike("it places a tensor itself, where others may lie", item.site)
        else:
            raise NotAlike(
                "a condition, or a loop in a loop, that the dimension may decide", getattr(item, "site", None)
            )

    # --- loops --------------------------------------------------------------------------------------------------------

    def _loop(self, loop: Loop) -> None:
        self._site = loop.site
        times = self._multiple(loop.extent, "the number of iterations of a loop")
        if loop.counts:
            raise self._refused("numbers change from one iteration to the next")
        executed: list[Executed] = []
        for item in loop.body.items:
            if isinstance(item, Executed):
                executed.append(item)
            else:
                self._other(item)
                if isinstance(item, Allocation):
                    self._of_loops.add(key_of(item.storage))
        own = {key_of(item.storage) for item in loop.body.items if isinstance(item, Allocation)}
        added = {
            key_of(view.storage)
            for item in executed
            for view in item.operation.writes.values()
            if not self._is_of_blocks(view.storage) and key_of(view.storage) not in own
        }
        for item in executed:
            self._site = item.site
            self._same_computation(item.operation)
            for view in item.operation.views:
                self._in_loop(view, loop.index, times, own)
            for key in added:
                self._only_added_to(key, item.operation)
            touched = {key_of(view.storage) for view in item.operation.reads.values()}
            if touched & self._sums.keys() - added:
                raise self._refused("an iteration reads sums over the iterations before it")
        self._sums.update({key: self._sums.get(key) for key in added})

    def _in_loop(self, view: Tensor, index: Index, times: int, own: set[Key]) -> None:
        self._same_shape(view)
        if not self._is_of_blocks(view.storage):
            self._constant(view.offset, "where an operand lies")
            key = key_of(view.storage)
            if key in self._of_loops and key not in own:
                raise self._refused("it touches what a loop has allocated outside of it")
            return
        size = self._multiple(view.storage.size, "the size of a tensor")
        offset = as_term(view.offset)
        assert offset is not None
        part = offset.monomials.get((index,), 0)
        start = offset.monomials.get((), 0)
        if offset.monomials.keys() - {(index,), ()} or part * times != size:
            raise self._refused("an iteration does not touch its own part of a tensor alone")
        steps = [
            (constant_value(stride) or 0) * ((constant_value(extent) or 1) - 1)
            for stride, extent in zip(view.strides, view.shape, strict=True)
        ]
        low, high = (start + sum(bound(step, 0) for step in steps) for bound in (min, max))
        if low < 0 or high >= part or view.dtype is not view.storage.dtype:
            raise self._refused("an iteration touches parts of a tensor that belong to others")

    def _only_added_to(self, key: Key, operation: Operation) -> None:
        """An operation in a loop adds to a tensor from outside it, or does not touch it."""
        views = [*operation.reads.items(), *operation.writes.items()]
        if all(key_of(view.storage) != key for _, view in views):
            return
        how = self._added(operation, key)
        if how is None or self._sums.get(key, how) not in (how, None):
            raise self._refused("an iteration leaves something for others that is no sum")
        if key not in self._sums:
            self._sums[key] = how

    def _added(self, operation: Operation, key: Key) -> _Added | None:
        """How an operation adds, to a tensor of floats, what does not come from that tensor."""
        target = operation.writes.get("dst")
        if len(operation.writes) != 1 or target is None or not target.dtype.is_float:
            return None
        others = {name: view for name, view in operation.reads.items() if key_of(view.storage) == key}
        if adds_product(operation):
            accumulate = operation.attributes.get("accumulate")
            if accumulate is False or not set(others) <= {"dst"}:
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
            self._constant(view.offset, "where an operand lies")
            if self._is_of_blocks(view.storage):
                raise self._refused("something outside of loops touches a tensor of blocks")
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

    def _returned(self, view: Tensor) -> None:
        if key_of(view.storage) in self._of_loops:
            raise NotAlike("it returns what a loop has allocated")
        in_order = zip(view.strides, row_major(view.shape), strict=True)
        whole = constant_value(view.offset) == 0 and as_term(view.size) is as_term(view.storage.size)
        if not whole or view.indirect_by is not None or any(as_term(one) is not as_term(two) for one, two in in_order):
            raise NotAlike("it returns a part of a tensor, or its elements in another order")

    # --- what has to be the same --------------------------------------------------------------------------------------

    def _same_computation(self, operation: Operation) -> None:
        terms: list[Term] = []
        try:
            computation(operation, terms)
        except UnknownValue:
            raise self._refused(f"{operation.name} has side effects, or a list, which may change") from None
        if any(term.constant is None for term in terms):
            raise self._refused(f"an argument of {operation.name} depends on the dimension, or on the iteration")
        if operation.program or operation.body is not None or operation.declared.dependence is None:
            raise self._refused("programs of a launch grid, device loops, or an operation without a model")
        if command_of(operation) is Command.JOIN:
            raise self._refused("reduction registers go on with what they hold")

    def _same_shape(self, view: Tensor) -> None:
        if view.indirect_by is not None:
            raise self._refused("indices known at run time")
        for extent in (*view.shape, *view.strides):
            self._constant(extent, "the shape of an operand")
        if key_of(view.storage)[0] == "argument":
            self.integers |= not view.storage.dtype.is_float
            if self._is_of_blocks(view.storage):
                self.arguments.add(view.storage.name)

    def _is_of_blocks(self, storage: Storage) -> bool:
        """True for m blocks in HBM; what is on chip does not depend on m."""
        if constant_value(storage.size) is not None:
            return False
        if storage.buffer.on_chip:
            raise self._refused("the size of a tensor on chip depends on the dimension")
        return True

    def _multiple(self, extent: Extent | Term, what: str) -> int:
        """The number q of an extent q * m."""
        term = as_term(extent)
        monomials = {} if term is None else term.monomials
        (factors, times), *others = monomials.items() or [((), 0)]
        if others or times < 1 or not self._is_dimension(factors):
            raise self._refused(f"{what} is {extent}, no multiple of {self.dimension}")
        return times

    def _is_dimension(self, factors: tuple[Atom, ...]) -> bool:
        return len(factors) == 1 and isinstance(factors[0], Dimension) and factors[0].name == self.dimension

    def _constant(self, extent: Extent, what: str) -> None:
        if constant_value(extent) is None:
            raise self._refused(f"{what} depends on the dimension, or on the iteration")

    def _refused(self, why: str) -> NotAlike:
        return NotAlike(why, self._site)


def _operator(operation: Operation, parameter: str) -> str:
    return str(getattr(operation.attributes.get(parameter), "name", ""))
