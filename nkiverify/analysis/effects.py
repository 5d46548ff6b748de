"""The effects of an operation on elements, in order, which every walk over a program follows.

Sets for all shapes (`sets.transfer`), marks of a concrete run (`marks.transfer`) and who wrote what (`marks.liveness`)
follow the same effects, and differ in how they represent elements alone: `sets.regions` and `marks.windows` turn the
view of an effect into elements. What is read is taken from the side of too much: all that a mask may leave. What is
written is taken from the side of too little: what a mask leaves for sure, and nothing that is not `certain`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator

from nkiverify.analysis.element_marks import link_of
from nkiverify.analysis.masks import leaves_out_earlier, masks_otherwise
from nkiverify.analysis.reduction_registers import REGISTERS, Command, Registers, command_of
from nkiverify.analysis.sets.coordinates import as_term
from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.side_effects import is_moved, skips
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.dependence import REDUCTION_RESULT, Link
from nkiverify.model.extents import is_sequence
from nkiverify.model.memory import PSUM
from nkiverify.model.operation import LANE_STAYS, LANES, ONE_QUADRANT, Operation
from nkiverify.model.recorded import Executed
from nkiverify.model.registry import Updates
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import constant_value

#: The last generation on which matmuls add to nothing but what matmuls wrote ("nc_matmul.accum_nonmatmul_init").
LAST_STRICT_GENERATION = 3


def copies_onto_itself(operation: Operation) -> bool:
    """True if a copy leaves each element of a concrete run as it finds it: its source is where it writes to."""
    source, target = operation.reads.get("src"), operation.writes.get("dst")
    if operation.name != "nisa.dma_copy" or source is None or target is None or "dst" in operation.reads:
        return False
    alike = source.storage is target.storage and source.dtype == target.dtype and source.offset == target.offset
    alike = alike and source.indirect_by is target.indirect_by is None
    return alike and (source.shape, source.strides) == (target.shape, target.strides)


class Does(enum.Enum):
    """The kind of an effect on the elements of a view."""

    #: All programs of a launch wait for the others. The view is what they wait for; none of it is read.
    WAIT = "wait"
    READ = "read"
    #: A product is added to the sum that is there, or begins it, as `accumulate` says: what is there may count.
    ACCUMULATE = "accumulate"
    #: A sum over the iterations of a loop continues with what is there, which is nothing in its first iteration.
    JOIN = "join"
    WRITE = "write"
    #: Nothing known is there afterwards.
    CLOBBER = "clobber"


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that an operation does to one of its operands; the reduction registers are an operand as well."""

    does: Does
    operation: Operation
    argument: str
    view: Tensor
    #: Whether all elements that the mask and `rows` leave are written, whatever the data are.
    certain: bool = True
    #: Whether it is part of a sum in place, which iterations without an order may add to ("leg.affine_range").
    commutes: bool = False

    @property
    def writes(self) -> bool:
        """True if it changes what is there."""
        return self.does in (Does.WRITE, Does.CLOBBER)

    @property
    def rows(self) -> tuple[int, int] | None:
        """Of how many rows (partitions) how many are touched, the first ones of each group; None for all rows."""
        return self.operation.rows(self.argument)

    @property
    def decides(self) -> bool:
        """True if undefined elements count at once, as what is read decides where others go."""
        return self.argument.endswith(".index") or self.operation.declared.behaviour.decides

    @property
    def indexes(self) -> bool:
        """True if what is read says which elements of another operand are: undefined ones may be out of bounds, also
        where nothing uses what is found there."""
        return self.argument == self.operation.declared.behaviour.indices

    def depends_on(self, read: str) -> Link:
        """The elements of the operand `read` that an element of what is written depends on."""
        return link_of(self.operation, self.argument, read)


class Effects:
    """Gives operations their effects: all that is read first, then what is written.

    It knows the reduction registers, and which tensors are sums over the iterations of a loop. `in_iterations`: what
    the body of a device loop writes is certain in the iteration that writes it.
    """

    def __init__(self, *, in_iterations: bool = False) -> None:
        self._in_iterations = in_iterations
        self._registers = Registers()
        self._sums: set[Key] = set()

    def of(self, operation: Operation) -> list[Effect]:
        """The effects of an operation of the program that is followed, in order."""
        operation = self.explicit(operation)
        found = list(self._of(operation))
        if operation.declared.behaviour.sums_loop:
            self._sums.update(key_of(view.storage) for view in operation.writes.values())
        return found

    def explicit(self, operation: Operation) -> Operation:
        """The operation with the reduction registers among its operands."""
        return self._registers.made_explicit(operation)

    def _of(self, operation: Operation) -> Iterator[Effect]:
        declared, reads, writes = operation.declared, operation.reads, operation.writes
        if declared.behaviour.barrier:
            for argument, view in reads.items():
                yield Effect(Does.WAIT, operation, argument, view)
            return
        adds_up = declared.behaviour.commutes and "dst" in writes and reads.get("x") is writes["dst"]
        product = adds_product(operation)
        joins = declared.behaviour.assigns and "value" in reads and key_of(reads["value"].storage) in self._sums
        accumulates = product and operation.attributes.get("accumulate") is not False
        for argument, view in reads.items():
            if not (product and argument == "dst"):
                yield Effect(Does.READ, operation, argument, view, commutes=adds_up and argument == "x")
        sure = {argument: is_certain(operation, argument) for argument in writes}
        if accumulates:
            yield Effect(Does.ACCUMULATE, operation, "dst", writes["dst"], sure["dst"])
        for argument, view in writes.items() if joins else ():
            yield Effect(Does.JOIN, operation, argument, view, sure[argument])
        for argument, view in writes.items():
            clobbers = argument == REGISTERS and command_of(operation) is Command.CLOBBER
            does = Does.CLOBBER if clobbers else Does.WRITE
            certain = is_certain_once_executed(operation, argument) if self._in_iterations else sure[argument]
            yield Effect(does, operation, argument, view, certain, adds_up or joins or accumulates)


def is_certain(operation: Operation, argument: str) -> bool:
    """True if all elements of a result that the mask and `rows` leave are written, whatever the data are."""
    # What the body of a device loop allocates is used in that body alone ("loop.escape"), as often as it is written.
    executed = operation.body in (None, operation.writes[argument].storage.body)
    return executed and is_certain_once_executed(operation, argument)


def is_certain_once_executed(operation: Operation, argument: str) -> bool:
    """The same of an operation that is executed: the device loops around it may have no iteration."""
    anywhere = is_moved(operation.writes[argument]) or skips(operation)
    perhaps = anywhere or _may_leave_out(operation, argument)
    return not (perhaps or masks_otherwise(operation) or leaves_out_earlier(operation))


def adds_product(operation: Operation) -> bool:
    """True if it writes, or adds to, a sum of products in PSUM."""
    return operation.declared.behaviour.product and "dst" in operation.writes


def begins_sum(effect: Effect) -> bool:
    """True if it reads what `+=` adds a product to, in PSUM: where nothing has been written, the sum begins."""
    return effect.argument == "x" and effect.operation.attributes.get("begins_sum") is True


def rounded_sum(operation: Operation) -> Tensor | None:
    """The tile of 16-bit floats in PSUM that an operation begins a sum of products in, or adds to, if it does."""
    adds = adds_product(operation) or operation.attributes.get("begins_sum") is True
    if not adds or operation.attributes.get("is_transpose"):
        return None
    target = operation.writes["dst"]
    return target if target.dtype.is_float and target.dtype.itemsize == 2 and target.buffer is PSUM else None


def rounds_sums(items: Iterable[object]) -> bool:
    """True if some of these add products to sums in tiles of 16-bit floats."""
    return any(isinstance(item, Executed) and rounded_sum(item.operation) is not None for item in items)


def _may_leave_out(operation: Operation, argument: str) -> bool:
    """True if it is not known which elements of a result are written."""
    if operation.declared.dependence is None:
        # What nobody described defines nothing.
        return True
    if operation.declared.behaviour.counted or _shuffles_from_outside(operation):
        return True
    # What `reduce_res` holds after an idle command is not documented.
    return argument == REDUCTION_RESULT and command_of(operation) in (Command.NOTHING, Command.CLOBBER)


def _shuffles_from_outside(operation: Operation) -> bool:
    """True if a shuffle may take a partition that its source has not got: what comes from there is not documented."""
    lanes = operation.attributes.get("shuffle_mask")
    source, target = operation.reads.get("src"), operation.writes.get("dst")
    shuffles = operation.declared.behaviour.updates is Updates.SHUFFLING
    if not shuffles or source is None or target is None or not is_sequence(lanes):
        return False
    given = [constant_value(lane) for lane in lanes]
    # Which lane an index of the kernel names is not known here: "shuffle.mask_len" says that it is one of a quadrant.
    moved = [(at, LANES - 1 if lane is None else lane) for at, lane in enumerate(given) if lane != LANE_STAYS]
    rows, wanted = constant_value(source.shape[0]), constant_value(target.shape[0])
    if wanted is None and operation.attributes.get(ONE_QUADRANT):
        wanted = LANES
    if rows is not None and wanted is not None:
        return any(start + lane >= rows for at, lane in moved for start in range(0, wanted - at, len(lanes)))
    full = all(size % len(lanes) == 0 for size in as_term(source.shape[0]).monomials.values())
    same = as_term(source.shape[0]) is as_term(target.shape[0])
    return not same or not (full or all(lane <= at for at, lane in moved))


def runs_on_cores(items: Iterable[object]) -> bool:
    """True if programs of a launch of the current API execute some of these: each runs on a core of its own."""
    executed = (item.operation for item in items if isinstance(item, Executed) and item.operation.program)
    return any(not any(view.legacy for view in operation.views) for operation in executed)
