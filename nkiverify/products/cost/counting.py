"""The figures of one execution of an operation: bytes, descriptors, instructions, cycles.

An amount is a pair of terms, at least and at most, which are the same where it is known. What an operation does that
nobody described has no figures: `UnknownCost` says why.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

from nkiverify.analysis.masks import on_one_grid
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.dependence import Link
from nkiverify.model.indices import MaskRelation, MaskTerm
from nkiverify.model.operation import Operation
from nkiverify.model.state import bodies
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, conditions
from nkiverify.symbolic.atoms import Condition, Term
from nkiverify.symbolic.terms import add, constant, divide, maximum, minimum, multiply, scale, select
from nkiverify.symbolic.values import as_term

ZERO, ONE = constant(0), constant(1)

#: Engine cycles in which the next instruction begins at the earliest, roughly («nki.isa: estimated instruction cost»).
LEAST_CYCLES = 64
#: Columns that a small stationary operand takes to load at least, in cycles («nki.isa.nc_matmul: cost»).
_STATIONARY_CYCLES = 64
#: Passes of the tensor engine over float32, and over float32 that is multiplied with ones and zeros («nc_matmul»).
_FLOAT32_PASSES, _ONEZERO_PASSES = 4, 2


class CostFigures(enum.Enum):
    """The figures of a kernel. Cycles are of the engine that is named; the kernel leaves open where others run: `OPEN`
    ones on the vector engine or GpSimd, `SHARED` ones on the scalar engine as well. `LEAST` ones are lower bounds."""

    HBM_READ = "hbm_read"
    HBM_WRITTEN = "hbm_written"
    DESCRIPTORS = "descriptors"
    DMA_INSTRUCTIONS = "dma_instructions"
    TENSOR_INSTRUCTIONS = "tensor_instructions"
    SCALAR_INSTRUCTIONS = "scalar_instructions"
    VECTOR_INSTRUCTIONS = "vector_instructions"
    GPSIMD_INSTRUCTIONS = "gpsimd_instructions"
    OPEN_INSTRUCTIONS = "open_instructions"
    ASSIGNMENTS = "assignments"
    TENSOR_COLUMNS = "tensor_columns"
    TENSOR_LEAST = "tensor_least"
    FLOPS = "flops"
    TRANSPOSES = "transposes"
    TRANSPOSE_FLOPS = "transpose_flops"
    SCALAR_CYCLES = "scalar_cycles"
    VECTOR_CYCLES = "vector_cycles"
    GPSIMD_CYCLES = "gpsimd_cycles"
    OPEN_CYCLES = "open_cycles"
    SHARED_CYCLES = "shared_cycles"
    SCALAR_LEAST = "scalar_least"
    VECTOR_LEAST = "vector_least"
    GPSIMD_LEAST = "gpsimd_least"
    OPEN_LEAST = "open_least"


_OF_ENGINE = {
    "scalar": (CostFigures.SCALAR_INSTRUCTIONS, CostFigures.SCALAR_CYCLES, CostFigures.SCALAR_LEAST),
    "vector": (CostFigures.VECTOR_INSTRUCTIONS, CostFigures.VECTOR_CYCLES, CostFigures.VECTOR_LEAST),
    "gpsimd": (CostFigures.GPSIMD_INSTRUCTIONS, CostFigures.GPSIMD_CYCLES, CostFigures.GPSIMD_LEAST),
    "any": (CostFigures.OPEN_INSTRUCTIONS, CostFigures.OPEN_CYCLES, CostFigures.OPEN_LEAST),
}


class UnknownCost(Exception):
    """Nobody described what an operation takes."""


@dataclass(frozen=True, slots=True, eq=False)
class Amount:
    """At least and at most this many."""

    low: Term
    high: Term

    @staticmethod
    def of(term: Term) -> Amount:
        """Exactly this many."""
        return Amount(term, term)

    @property
    def exact(self) -> bool:
        """True if it is known."""
        return self.low is self.high

    def times(self, factor: Term) -> Amount:
        """This many times as many; the factor is not negative."""
        low = multiply(self.low, factor)
        return Amount(low, low if self.exact else multiply(self.high, factor))

    def where(self, condition: Condition, other: Amount) -> Amount:
        """This many where a condition holds, and as many as the `other` where it does not."""
        low = select(condition, self.low, other.low)
        return Amount(low, low if self.exact and other.exact else select(condition, self.high, other.high))

    def plus(self, other: Amount) -> Amount:
        """Both together."""
        low = add(self.low, other.low)
        return Amount(low, low if self.exact and other.exact else add(self.high, other.high))


NOTHING = Amount.of(ZERO)


def term_of(extent: Extent) -> Term:
    """An extent as a term. Raises `UnknownCost` where it is no integer."""
    found = as_term(extent)
    if found is None:
        raise UnknownCost(f"an extent that is {type(extent).__name__}")
    return found


def product_of(extents: Iterable[Term]) -> Term:
    """The product of extents, 1 of none."""
    return reduce(multiply, extents, ONE)


@dataclass(frozen=True, slots=True, eq=False)
class TouchedElements:
    """The elements of an operand that are touched: this many along each axis, if `condition` holds; `least`: perhaps
    none."""

    extents: tuple[Term, ...]
    condition: Condition | bool = True
    least: bool = True

    @property
    def elements(self) -> Amount:
        """How many there are."""
        return self.when(product_of(self.extents))

    def when(self, term: Term) -> Amount:
        """`term` where anything is touched that may be."""
        if self.condition is False:
            return NOTHING
        if isinstance(self.condition, Condition):
            term = select(self.condition, term, ZERO)
        return Amount.of(term) if self.least else Amount(ZERO, term)


def touched(operation: Operation, argument: str, view: Tensor) -> TouchedElements:
    """The elements of an operand that an execution touches."""
    extents = [term_of(extent) for extent in view.shape]
    rows = operation.rows(argument)
    if rows is not None:
        group, touched_rows = rows
        whole = divide(extents[0], constant(group))
        rest = add(extents[0], scale(whole, group), -1)
        extents[0] = add(scale(whole, touched_rows), minimum([rest, constant(touched_rows)]))
    oob: object = operation.attributes.get("oob_mode")
    skips = getattr(oob, "name", "") == "skip"
    sure = not (skips or operation.declared.behaviour.counted)
    mask = operation.mask
    if mask is None:
        return TouchedElements(tuple(extents), True, sure)
    held: list[Condition | bool] = [mask.host]
    if not on_one_grid(operation):
        return TouchedElements(tuple(extents), True, False)
    left: dict[int, tuple[Term, Term]] = {}
    for part in mask.terms:
        found = _axis_of(part, extents)
        if found is None:
            return TouchedElements(tuple(extents), True, False)
        axis, first, end = found
        if axis is None:
            held.append(conditions.compare(_RELATIONS[part.relation], term_of(part.difference.base)))
        elif axis in left:
            left[axis] = maximum([left[axis][0], first]), minimum([left[axis][1], end])
        else:
            left[axis] = first, end
    for axis, (first, end) in left.items():
        between = add(end, first, -1)
        extents[axis] = between if first is ZERO else maximum([between, ZERO])
    return TouchedElements(tuple(extents), conditions.conjunction(held), sure)


_RELATIONS = {
    MaskRelation.AT_MOST: conditions.Relation.AT_MOST,
    MaskRelation.EQUAL: conditions.Relation.EQUAL,
    MaskRelation.UNEQUAL: conditions.Relation.UNEQUAL,
}


def _axis_of(part: MaskTerm, extents: Sequence[Term]) -> tuple[int | None, Term, Term] | None:
    """The one axis of an operand that a term of a mask is about, with the first and the end of what it leaves there;
    None where it is about more, or about something else."""
    difference = part.difference
    moving = [
        (axis, term_of(coefficient), term_of(extent))
        for axis, (coefficient, extent) in enumerate(
            zip(difference.coefficients, difference.shape, strict=True), len(extents) - difference.ndim
        )
        if term_of(coefficient) is not ZERO
    ]
    if not moving:
        return None, ZERO, ZERO
    if len(moving) > 1 or part.relation is not MaskRelation.AT_MOST:
        return None
    ((axis, coefficient, extent),) = moving
    number = coefficient.constant
    if axis < 0 or number is None or extents[axis] is not extent:
        return None
    base = term_of(difference.base)
    if number > 0:
        end = add(divide(scale(base, -1), constant(number)), ONE)
        return axis, ZERO, minimum([maximum([end, ZERO]), extent])
    first = scale(divide(scale(base, -1), constant(-number)), -1)
    return axis, minimum([maximum([first, ZERO]), extent]), extent


def in_hbm(view: Tensor) -> bool:
    """True if a view lies in the memory of the device."""
    return not view.on_chip


def hbm_views(operation: Operation) -> Iterator[tuple[bool, str, Tensor]]:
    """The operands in HBM that an execution reads, and those that it writes (True)."""
    if operation.declared.behaviour.barrier:
        return
    for writes, views in ((False, operation.reads), (True, operation.writes)):
        for argument, view in views.items():
            if in_hbm(view) and not (writes and view.storage.constant):
                yield writes, argument, view


def is_transfer(operation: Operation) -> bool:
    """True if DMA engines execute it, whichever engine is asked to start them."""
    return operation.declared.engine == "dma"


def figures_of(operation: Operation) -> dict[CostFigures, Amount]:
    """The figures of one execution. Raises `UnknownCost`."""
    declared = operation.declared
    if declared.host or declared.engine == "none":
        return {}
    if declared.dependence is None:
        raise UnknownCost("nobody described what it does")
    if operation.name.startswith("ncc.") or operation.name == "nisa.sendrecv":
        raise UnknownCost("it moves data between cores")
    if _of_device_loop(operation):
        raise UnknownCost("it is in a loop of the device, of which the number of iterations is not known")
    found: dict[CostFigures, Amount] = {}
    for writes, argument, view in hbm_views(operation):
        size = touched(operation, argument, view).elements.times(constant(view.itemsize))
        figure = CostFigures.HBM_WRITTEN if writes else CostFigures.HBM_READ
        found[figure] = found.get(figure, NOTHING).plus(size)
    if is_transfer(operation):
        found[CostFigures.DMA_INSTRUCTIONS] = Amount.of(ONE)
        if found.keys() & {CostFigures.HBM_READ, CostFigures.HBM_WRITTEN}:
            found[CostFigures.DESCRIPTORS] = descriptors_of(operation)[0]
        if operation.name in ("nisa.dma_transpose", "nl.load_transpose2d"):
            found[CostFigures.TRANSPOSES] = Amount.of(ONE)
    elif declared.engine == "tensor":
        found.update(_product(operation))
    elif operation.engine == "tensor":
        found.update(_turned(operation))
    else:
        found.update(_elementwise(operation))
    return found


def _of_device_loop(operation: Operation) -> bool:
    """True if it is executed as often as a loop of the device goes round, which its body says once for all."""
    return any(body.once for body in bodies(operation.body))


# --- DMA --------------------------------------------------------------------------------------------------------------


def descriptors_of(operation: Operation) -> tuple[Amount, Term]:
    """The contiguous runs of elements that a transfer is made of, and the bytes of one."""
    pairs = [(argument, view) for argument, view in operation.reads.items() if not argument.endswith(".index")]
    pairs += operation.writes.items()
    sides = [(argument, view) for argument, view in pairs if in_hbm(view)]
    argument, view = sides[0]
    there = touched(operation, argument, view)
    if operation.name in ("nisa.dma_transpose", "nl.load_transpose2d"):
        # Elements of a row go to as many partitions.
        size = there.elements
        return Amount(ZERO, size.high), constant(view.itemsize)
    others = [other for name, other in pairs if name != argument]
    same = [other for other in others if _same_shape(other, view)]
    return _runs(view, there, [other for other in same if other.on_chip])


def _runs(view: Tensor, there: TouchedElements, on_chip: Sequence[Tensor]) -> tuple[Amount, Term]:
    """The contiguous runs of a view in HBM that lie in one partition at their other end, and the bytes of one."""
    rank = len(view.shape)
    runs: list[tuple[Condition | bool, int]] = [(True, 0)]
    size = ONE
    for axes in range(1, rank + 1):
        extent, stride = term_of(view.shape[rank - axes]), term_of(view.strides[rank - axes])
        at_indices = view.indirect_by is not None and axes == rank
        if at_indices or any(rank - axes <= other.block_dims for other in on_chip):
            break
        follows = conditions.disjunction(
            (conditions.equals_zero(add(extent, ONE, -1)), conditions.equals_zero(add(stride, size, -1)))
        )
        if follows is False:
            break
        if follows is True:
            runs[-1] = (runs[-1][0], axes)
        else:
            runs.append((conditions.conjunction((runs[-1][0], follows)), axes))
        size = multiply(size, extent)
    count, run = NOTHING, ZERO
    for condition, axes in runs:
        one, length = there.when(product_of(there.extents[: rank - axes])), product_of(there.extents[rank - axes :])
        for extent, whole in zip(there.extents[rank - axes :], view.shape[rank - axes :], strict=True):
            empty = conditions.at_most_zero(extent)
            if extent is not term_of(whole) and isinstance(empty, Condition):
                one = NOTHING.where(empty, one)
        if isinstance(condition, Condition):
            count, run = one.where(condition, count), select(condition, length, run)
        else:
            count, run = one, length
    return count, scale(run, view.itemsize)


def _same_shape(one: Tensor, other: Tensor) -> bool:
    return len(one.shape) == len(other.shape) and all(
        term_of(left) is term_of(right) for left, right in zip(one.shape, other.shape, strict=True)
    )


# --- engines ----------------------------------------------------------------------------------------------------------


def _is_float32(*views: Tensor) -> bool:
    return all(view.dtype.name == "float32" for view in views)


def _flag(operation: Operation, *names: str) -> bool:
    return any(operation.attributes.get(name) is True for name in names)


def _product(operation: Operation) -> dict[CostFigures, Amount]:
    """The figures of a matmul: contraction K, M columns of the stationary operand, N of the moving one."""
    reads = operation.reads
    implied = False
    if operation.name == "nl.matmul":
        left, moving = reads["x"], reads["y"]
        transposed = operation.attributes.get("transpose_x") is True
        rows, columns = (term_of(extent) for extent in left.shape[-2:])
        contracted, kept = (rows, columns) if transposed else (columns, rows)
        implied = not transposed
        stationary = left
    else:
        stationary, moving = reads["stationary"], reads["moving"]
        contracted, kept = term_of(stationary.partitions), term_of(stationary.free_size)
    width = term_of(moving.free_size)
    packed = 4 if moving.dtype.name.endswith("x4") else 1
    passes = least = 1
    if _is_float32(stationary, moving):
        onezero = _flag(operation, "is_stationary_onezero", "is_moving_onezero")
        passes = least = _ONEZERO_PASSES if onezero else _FLOAT32_PASSES
    transposes = _flag(operation, "is_transpose")
    if transposes:
        # Data that pass through are not multiplied.
        least = 1
    cycles = scale(maximum([minimum([constant(_STATIONARY_CYCLES), kept]), width]), passes)
    mode = getattr(operation.attributes.get("perf_mode"), "name", "none")
    fastest = scale(width, least) if mode == "none" else divide(width, constant(4))
    flops = scale(product_of([contracted, kept, width]), 2 * packed)
    found = {
        CostFigures.TENSOR_INSTRUCTIONS: ONE,
        CostFigures.TENSOR_COLUMNS: cycles,
        CostFigures.TRANSPOSE_FLOPS if transposes else CostFigures.FLOPS: flops,
    }
    if transposes:
        found[CostFigures.TRANSPOSES] = ONE
    if implied:
        # The left operand has its rows in the partitions: the tensor engine turns it first.
        found[CostFigures.TRANSPOSES] = ONE
        found[CostFigures.TENSOR_INSTRUCTIONS] = constant(2)
        found[CostFigures.TRANSPOSE_FLOPS] = scale(product_of([contracted, kept, kept]), 2 * packed)
        found[CostFigures.TENSOR_COLUMNS] = add(cycles, scale(contracted, passes))
    least_of = Amount.of(fastest) if operation.mask is None else Amount(ZERO, fastest)
    return {**{figure: Amount.of(term) for figure, term in found.items()}, CostFigures.TENSOR_LEAST: least_of}


def _turned(operation: Operation) -> dict[CostFigures, Amount]:
    """The figures of a transpose on the tensor engine («nki.isa.nc_transpose: estimated instruction cost»)."""
    data = operation.reads.get("data")
    if data is None or operation.name != "nisa.nc_transpose":
        raise UnknownCost("it runs on the tensor engine")
    rows, columns = term_of(data.partitions), term_of(data.free_size)
    passes = _FLOAT32_PASSES if _is_float32(data) else 1
    cycles = scale(maximum([rows, minimum([constant(_STATIONARY_CYCLES), columns])]), passes)
    least = minimum([rows, columns])
    return {
        CostFigures.TENSOR_INSTRUCTIONS: Amount.of(ONE),
        CostFigures.TENSOR_COLUMNS: Amount.of(cycles),
        CostFigures.TENSOR_LEAST: Amount.of(least) if operation.mask is None else Amount(ZERO, least),
        CostFigures.TRANSPOSES: Amount.of(ONE),
        CostFigures.TRANSPOSE_FLOPS: Amount.of(scale(product_of([rows, rows, columns]), 2)),
    }


def _elementwise(operation: Operation) -> dict[CostFigures, Amount]:
    """The figures of an instruction that takes a cycle or two for each element of a partition."""
    behaviour = operation.declared.behaviour
    on_chip = {name: view for name, view in (*operation.reads.items(), *operation.writes.items()) if view.on_chip}
    if behaviour.assigns and "value" in operation.reads:
        return {CostFigures.ASSIGNMENTS: Amount.of(ONE)}
    if operation.engine not in _OF_ENGINE:
        raise UnknownCost(f"it runs on {operation.engine}")
    instructions, cycles, least = _OF_ENGINE[operation.engine]
    if _accumulates(operation):
        # The tensor engine adds to what is in PSUM as it writes there.
        return {}
    widths = [multiply(_blocks(view), term_of(view.free_size)) for view in on_chip.values()]
    width = maximum(widths) if widths else ZERO
    fills = behaviour.fills is not None
    in_psum = any(str(view.buffer) == "psum" for view in on_chip.values())
    wide = [view for view in operation.reads.values() if view.on_chip and term_of(view.free_size) is not ONE]
    factor = _factor(operation, wide)
    documented = maximum([constant(LEAST_CYCLES), *(scale(one, factor) for one in widths)])
    # A mask may leave nothing to do; what is filled with a number may be filled when something else is done there.
    fastest = NOTHING if fills else Amount.of(width) if operation.mask is None else Amount(ZERO, width)
    if cycles is CostFigures.OPEN_CYCLES and runs_on_scalar(operation):
        cycles = CostFigures.SHARED_CYCLES
    found = {
        instructions: Amount.of(ONE),
        cycles: NOTHING if fills and in_psum else Amount.of(documented),
        least: fastest,
    }
    if operation.name in ("nisa.nc_transpose", "nl.transpose"):
        found[CostFigures.TRANSPOSES] = Amount.of(ONE)
    return found


def _blocks(view: Tensor) -> Term:
    return product_of(term_of(extent) for extent in view.shape[: view.block_dims])


def _accumulates(operation: Operation) -> bool:
    """True if it adds a product to what is in PSUM, which is no instruction of its own."""
    if not operation.declared.behaviour.commutes:
        return False
    adds_to, added = operation.reads.get("x"), operation.reads.get("y")
    if adds_to is None or added is None:
        return False
    return str(adds_to.buffer) == "psum" and added.storage.product


#: Instructions that run on the vector engine, the scalar engine or GpSimd («nki.isa.tensor_scalar, tensor_copy»).
_ALSO_SCALAR = frozenset(("nisa.tensor_scalar", "nisa.tensor_copy"))


def runs_on_scalar(operation: Operation) -> bool:
    """True if it may run on the scalar engine too: so says the documentation, or it is a function of the language of
    one tile, which the compiler makes instructions of."""
    if operation.name.startswith("nisa."):
        return operation.name in _ALSO_SCALAR
    stated = operation.declared.dependence
    tiles = sum(view.on_chip for view in operation.reads.values())
    return tiles < 2 and stated is not None and stated.others in (Link.ROW_MAJOR, Link.BROADCAST, Link.ROWS)


def _factor(operation: Operation, wide: Sequence[Tensor]) -> int:
    """Cycles for each element: 2 where two operands of a whole tile are read from one memory, unless they are bfloat16
    («nki.isa.tensor_tensor: estimated instruction cost»)."""
    if len(wide) < 2 or len({str(view.buffer) for view in wide}) > 1:
        return 1
    return 1 if all(view.dtype.name == "bfloat16" for view in operation.views) else 2
