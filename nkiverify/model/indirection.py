"""Views whose place depends on indices known at run time: dynamic selects, rows by a vector, gathers in the free axis.

What is claimed of the indices is claimed where the view is used, since a DMA may skip what is out of bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from nkiverify.model.contents import held
from nkiverify.model.contracts import leaves_open, require, require_if_open, resting_on, suffices
from nkiverify.model.current_execution import ModelExecution, current_execution
from nkiverify.model.extents import as_extent
from nkiverify.model.known_numbers import SET_ANEW, UNKNOWN, Interval, NumberOrigin, Value
from nkiverify.model.memory import SBUF
from nkiverify.model.register_contents import held_by
from nkiverify.model.state import bodies
from nkiverify.model.tensor import Indirection, IndirectionKind, Reach, Register, Tensor
from nkiverify.symbolic import Extent, all_of, any_of, equal, known, maximum, minimum, terms
from nkiverify.symbolic.atoms import Index
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.values import as_term

#: What can be done about an index of which nothing is known.
ADVICE = "declare the range of the arguments it is computed from, keep it in bounds by nl.minimum, or use oob_mode.skip"

TensorT = TypeVar("TensorT", bound="Tensor")


def is_run_time(value: object) -> bool:
    """True if `value` is an index known at run time only."""
    return isinstance(value, Tensor | Register)


def claim_reach(contract: str, moves: Indirection) -> None:
    """Claim that no index the contents allow leaves the tensor; an open claim where the contents are not known."""
    reach = moves.reach
    if reach is None:
        return
    claim_numbers(
        contract,
        indices_of(moves),
        lambda low, high: all_of(reach.first + low * reach.unit >= 0, reach.last + high * reach.unit < reach.size),
        legal_range(reach),
        unit=reach.unit,
        first=reach.first,
        last=reach.last,
        size=reach.size,
    )


def indices_of(moves: Indirection) -> Value | None:
    """The numbers that the index of a view may be; None where nothing has been written to it."""
    return indices_in(moves.index)


def indices_in(index: Tensor | Register) -> Value | None:
    """The bounds of the numbers in a tensor or register of indices; None where nothing has been written to it."""
    actual = current_execution().elements.index_range(index)
    if actual is not None:
        return Value((actual,))
    return held_by(index) if isinstance(index, Register) else held(index)


def legal_range(reach: Reach) -> Interval | None:
    """The indices that stay in the tensor; None where they cannot be said."""
    if not known(reach.unit >= 1):
        return None
    return Interval(-(reach.first // reach.unit), (reach.size - 1 - reach.last) // reach.unit)


def claim_numbers(
    contract: str,
    value: Value | None,
    legal: Callable[[Extent, Extent], Any],
    within: Interval | None = None,
    **quantities: object,
) -> None:
    """Claim that all numbers of `value` are legal indices, `legal` asking it of an interval.

    Where the value may have lost something, what is claimed is enough, and no fault if it does not hold. Where it is
    not known, or comes from arguments whose range nobody declared, the claim is open: it says which range, `within`,
    would close it. In a device loop of no round nothing is read.
    """
    run = current_execution()
    if run.only_traced:
        return
    value = UNKNOWN if value is None else value
    never = _never(run)
    intervals = value.known
    if intervals is None or value.undeclared:
        condition = all_of(*(_legal(each, legal) for each in intervals)) if intervals is not None else False
        condition = any_of(*never, condition)
        with resting_on(value.assumptions):
            leaves_open(contract, condition, _missing(value, within), **quantities)
        return
    state = require if value.exact else suffices
    for assumption in value.assumptions:
        assumption.used = True
    with resting_on(value.assumptions):
        for each in intervals:
            state(contract, any_of(*never, _legal(each, legal)), indices=str(each), **quantities)


def claim_different(contract: str, moves: Indirection, count: Extent) -> None:
    """Claim that `count` indices can all be different: that there are as many numbers among which they are. Of those of
    which nothing is known it is taken for granted."""
    run, value = current_execution(), indices_of(moves)
    if run.only_traced or value is None or value.known is None or value.undeclared:
        return
    numbers: Any = 0
    for each in value.known:
        numbers = numbers + maximum(0, each.high - each.low + 1)
    for assumption in value.assumptions:
        assumption.used = True
    with resting_on(value.assumptions):
        require(contract, any_of(*_never(run), count <= numbers), indices=count, numbers=numbers)


def _never(run: ModelExecution) -> list[Any]:
    """The conditions under which what is emitted is never executed: device loops around it have no round."""
    return [body.rounds.most < 1 for body in bodies(run.model.body) if body.rounds.most is not None]


def _legal(each: Interval, legal: Callable[[Extent, Extent], Any]) -> Any:
    return any_of(each.low > each.high, legal(each.low, each.high))


def _missing(value: Value, within: Interval | None) -> str:
    """The unknown about an index, and what would tell."""
    for assumption in value.assumptions:
        if assumption.wrong:
            return f"{assumption.wrong}; {SET_ANEW}"
    arguments = sorted((each for each in value.undeclared if each.name), key=lambda each: each.name)
    if not arguments:
        return f"its numbers are computed from what is not known; {ADVICE}"
    names = " and ".join(argument.name for argument in arguments)
    # What an index is computed from may be in another range than the index.
    low, high = _of_arguments(value.origin, within)
    return f"nobody said which integers are in {names}; {', '.join(each.declared(low, high) for each in arguments)}"


def _of_arguments(origin: NumberOrigin, within: Interval | None) -> tuple[object, object]:
    """The least and the greatest number of arguments with which an index stays in an interval; nobody means an index to
    be negative."""
    if within is None or origin is NumberOrigin.COMPUTED or known(within.high < 0):
        return "LOW", "HIGH"
    low, high = _in_all_iterations(within.low, maximum), _in_all_iterations(within.high, minimum)
    return (low, high + 1) if origin is NumberOrigin.COUNTED else (low, high)


def _in_all_iterations(end: Extent, narrower: Callable[[Extent, Extent], Extent]) -> Extent:
    """An end of what is legal in an iteration of a loop where it is so in all, as ends of indices rise or fall with
    it: an argument has no iterations."""
    found: Any = as_term(end)
    for atom in terms.all_atoms(found) if found is not None else ():
        if isinstance(atom, Index):
            ends = terms.constant(0), terms.add(atom.extent, terms.constant(1), -1)
            first, last = (terms.substitute(found, {atom: at}) for at in ends)
            both = narrower(first, last)  # type: ignore[arg-type]
            found = last if known(equal(both, last)) else both
    return end if found is None else found


def by_scalar(index: object, reach: Reach) -> Indirection:
    """The indirection by one number: a register, or a (1, 1) tile in SBUF."""
    claim_scalar_index("ap.scalar_offset", index)
    return Indirection(IndirectionKind.SCALAR, index, reach, reach.unit)  # type: ignore[arg-type]


def claim_scalar_index(contract: str, index: object) -> None:
    """Claim that `index` is a register or a tile of one element in SBUF."""
    if isinstance(index, Register):
        return
    if not isinstance(index, Tensor):
        require(contract, False, index=type(index).__name__)
        raise TypeError(f"an index known at run time is a register or a (1, 1) tile, not {type(index).__name__}")
    require(contract, all_of(index.buffer is SBUF, equal(index.size, 1)), shape=index.shape, buffer=index.buffer)


def by_vector(
    tensor: Tensor,
    index: object,
    rows: Extent,
    reach: Reach,
    indirect_dim: object = 0,
    stride: Extent | None = None,
) -> Indirection:
    """The indirection of `rows` rows of an HBM tensor, `stride` elements apart, by a tile of indices in SBUF."""
    if not isinstance(index, Tensor):
        require("ap.vector_offset", False, index=type(index).__name__)
        raise TypeError(f"a vector of indices is a tile, not {type(index).__name__}")
    require(
        "ap.vector_offset",
        all_of(
            index.buffer is SBUF,
            index.ndim == 2 or all_of(*(equal(extent, 1) for extent in index.shape[1:])),
            not tensor.on_chip,
            indirect_dim == 0,
            index.dtype.is_integer,
            rows <= index.size,
        ),
        index=index.shape,
        index_dtype=index.dtype,
        buffer=index.buffer,
        tensor=tensor.buffer,
        rows=rows,
        indirect_dim=indirect_dim,
    )
    require_if_open("ap.vector_offset_rank", index.ndim == 2, index=index.shape)
    return Indirection(IndirectionKind.ROWS, index, reach, tensor.strides[0] if stride is None else stride)


def select(tensor: TensorT, dimension: int, index: object) -> TensorT:
    """The element of a dimension that a run-time index names; the dimension goes away."""
    require("view.one_indirection", tensor.indirect_by is None)
    claim_scalar_index("view.select_dynamic", index)
    if tensor.on_chip:
        require("view.select_dynamic", dimension != 0, dimension=dimension)
    shape = tensor.shape[:dimension] + tensor.shape[dimension + 1 :]
    strides = tensor.strides[:dimension] + tensor.strides[dimension + 1 :]
    if len(shape) < (2 if tensor.on_chip else 1):
        shape, strides = (*shape, 1), (*strides, 1)
    view = tensor.with_layout(shape, strides)
    view.indirect_by = Indirection(
        IndirectionKind.SCALAR,
        index,  # type: ignore[arg-type]
        Reach(1, 0, 0, tensor.shape[dimension]),
        tensor.strides[dimension],
    )
    return view


def vector_select(tensor: TensorT, dim: object, vector_offset: object) -> TensorT:
    """Rows of an HBM tensor, one for each index of an (n, 1) tile in SBUF."""
    require("view.one_indirection", tensor.indirect_by is None)
    legal = dim == 0 and not tensor.on_chip and isinstance(vector_offset, Tensor)
    require("view.vector_select", legal, dim=dim, buffer=tensor.buffer, index=type(vector_offset).__name__)
    if not isinstance(vector_offset, Tensor):
        raise TypeError(f"vector_select takes a tile of indices, not {type(vector_offset).__name__}")
    require("view.vector_select", equal(vector_offset.free_size, 1), index=vector_offset.shape)
    rows = vector_offset.shape[0]
    moves = by_vector(tensor, vector_offset, rows, Reach(1, 0, 0, tensor.shape[0]))
    view = tensor.with_layout((rows, *tensor.shape[1:]), tensor.strides)
    view.indirect_by = moves
    return view


def indirect(tensor: TensorT, index: object, num_elem: Any) -> TensorT:
    """Free elements of an on-chip tile chosen by a tile of offsets (tensor indirection): shape (P, num_elem)."""
    generation = current_execution().hardware.generation
    require("ti.gen4", generation >= 4, generation=generation)
    require("view.one_indirection", tensor.indirect_by is None)
    if not isinstance(index, Tensor):
        require("ti.index", False, index=type(index).__name__)
        raise TypeError(f"an index of indirect() is a tile, not {type(index).__name__}")
    require(
        "ti.index",
        all_of(tensor.on_chip, index.buffer is SBUF, equal(index.shape[0], tensor.shape[0])),
        index=index.shape,
        tensor=tensor.shape,
        buffer=index.buffer,
    )
    count = index.size if num_elem is None else as_extent(num_elem)
    if count is None:
        raise unsupported(f"indirect() with num_elem of type {type(num_elem).__name__}")
    require("ti.index", all_of(count >= 1, count <= index.size), num_elem=count, index=index.shape)
    view = tensor.with_layout((tensor.shape[0], count), (tensor.strides[0], 1))
    view.indirect_by = Indirection(IndirectionKind.ELEMENTS, index, None)
    return view
