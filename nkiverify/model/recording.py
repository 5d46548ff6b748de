"""Recording what instructions do to tensors.

Stub functions take the documented parameters, and these have uniform names: a tensor passed as `dst` (or one of the few
names in `WRITTEN`) is written, any other is read, and a function that returns a new tile writes `result`. So the
wrapper of every stub function (`nkiverify.model.stub`) records the call; Python's operators on tiles and
assignments to their elements record themselves with `issue`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nkiverify.model.access import Access
from nkiverify.model.contracts import looked_at
from nkiverify.model.current_execution import current_execution
from nkiverify.model.emission import innermost_body
from nkiverify.model.extents import is_sequence
from nkiverify.model.following import follow, followed_among, views_in
from nkiverify.model.indices import IndexTensor, Mask, MaskRelation, as_mask
from nkiverify.model.indirection import indices_of
from nkiverify.model.launch import current_launch
from nkiverify.model.operation import LANE_STAYS, LANES, ONE_QUADRANT, OPERATOR_PARAMETERS, WRITTEN, Operation
from nkiverify.model.operators import OPERATORS, Operator, legacy_operator, operator
from nkiverify.model.placement import claim_operands
from nkiverify.model.registry import Declaration, Updates, declaration
from nkiverify.model.tensor import IndirectionKind, Tensor, claim_bounds, recorded_view
from nkiverify.symbolic import Condition, SymInt, all_of, constant_value, known
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.lists import SymList

#: Parameters that do not change what is computed.
_IDLE = frozenset(("name", "kwargs", "engine", "priority", "dge_mode", "dma_engine", "buffer"))
#: A tensor, or an access to one.
_TENSORS = (Tensor, Access)
_RELATIONS = {MaskRelation.AT_MOST: "less_equal", MaskRelation.EQUAL: "equal", MaskRelation.UNEQUAL: "not_equal"}


def issue(
    name: str,
    *,
    writes: dict[str, Tensor],
    reads: dict[str, Tensor] | None = None,
    mask: Mask | None = None,
    **attributes: object,
) -> None:
    """The run in progress executes an operation of Python's operators."""
    reads = reads or {}
    claim_bounds(*reads.values(), *writes.values())
    run = current_execution()
    followed = followed_among(writes) if run.model.follows else None
    if followed:
        follow(declaration(name), {**reads, **attributes, "mask": mask}, followed)
    if run.records:
        _record(name, dict(reads), dict(writes), attributes, mask)


def _record(
    name: str,
    reads: dict[str, Tensor],
    writes: dict[str, Tensor],
    attributes: dict[str, Any],
    mask: Mask | None = None,
    asked_engine: object = None,
) -> None:
    """The run in progress, which asked to be informed of them, executes an operation."""
    run = current_execution()
    mode: Any = attributes.get("oob_mode")
    skips = getattr(mode, "name", "") == "skip"
    views = (*reads.values(), *writes.values())
    if skips and all(map(_stays_inside, views)):
        # Nothing is out of bounds: what it writes, it writes for sure.
        skips, attributes["oob_mode"] = False, type(mode).error
    if any(view.storage.constant for name, view in writes.items() if name != "result"):
        raise unsupported("writing to a shared constant", "copy it to a tensor of its own")
    if any(view.indirect_by is not None for view in views):
        reads, writes = _with_indices(run.symbolic, reads, writes, attributes, skips)
    program = current_launch().program
    mask = None if mask is None else mask.without_known()
    # An operand that is both is one view.
    made = {id(view): recorded_view(view) for view in (*reads.values(), *writes.values())}
    reads = {parameter: made[id(view)] for parameter, view in reads.items()}
    writes = {parameter: made[id(view)] for parameter, view in writes.items()}
    operation = Operation(name, reads, writes, attributes, mask, innermost_body(), program, asked_engine)
    if looked_at("mem.start_partition"):
        claim_operands(operation)
    run.operation(operation)


def _with_indices(
    symbolic: bool,
    reads: dict[str, Tensor],
    writes: dict[str, Tensor],
    attributes: dict[str, Any],
    skips: bool,
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The operands, some of which indices move, as they are used, the indices among what is read."""
    reads = {name: _as_used(view, skips) for name, view in reads.items()}
    writes = {name: _as_used(view, skips) for name, view in writes.items()}
    for argument, view in (*reads.items(), *writes.items()):
        if view.indirect_by is not None:
            _read_index(view, argument, reads, attributes)
    if symbolic:
        return reads, writes
    placed = {name: _placed(view) for name, view in reads.items()}
    return placed, {name: _placed(view) for name, view in writes.items()}


def _as_used(view: Tensor, skips: bool) -> Tensor:
    """A view that an index moves, with what the index may be now: it may be another one when the view is used again.

    Of an operation that `skips` what is out of bounds, an index below 0 chooses nothing ("dma_copy.oob"; AUDIT).
    """
    moves = view.indirect_by
    if moves is None:
        return view
    value = indices_of(moves)
    used = view.with_layout(view.shape, view.strides)
    used.indirect_by = replace(moves, value=value.from_zero() if skips and value is not None else value)
    return used


def _stays_inside(view: Tensor) -> bool:
    """True if no index moves the view, or none that it may be is below 0 or leaves the tensor."""
    moves = view.indirect_by
    if moves is None:
        return True
    value, reach = indices_of(moves), moves.reach
    if value is None or value.known is None or value.assumptions or reach is None:
        return False
    return known(
        all_of(
            *(each.low >= 0 for each in value.known),
            *(reach.first + each.low * reach.unit >= 0 for each in value.known),
            *(reach.last + each.high * reach.unit < reach.size for each in value.known),
        )
    )


def _placed(view: Tensor) -> Tensor:
    """A view that one number moves, where it is once the number can be one only."""
    moves = view.indirect_by
    if moves is None or moves.kind is not IndirectionKind.SCALAR or moves.value is None or moves.is_known:
        return view
    numbers, reach = moves.value.known, moves.reach
    if numbers is None or len(numbers) != 1 or moves.value.assumptions or reach is None:
        return view
    number = constant_value(numbers[0].low)
    if number is None or constant_value(numbers[0].high) != number:
        return view
    if not known(all_of(reach.first + number * reach.unit >= 0, reach.last + number * reach.unit < reach.size)):
        # A broken contract, or skipped.
        return view
    found = view.with_layout(view.shape, view.strides, moved_by=((number, moves.stride),))
    found.indirect_by = None
    return found


def _read_index(view: Tensor, argument: str, reads: dict[str, Tensor], attributes: dict[str, object]) -> None:
    assert view.indirect_by is not None
    index = view.indirect_by.index
    if isinstance(index, Tensor):
        reads[f"{argument}.index"] = index
    else:
        attributes[f"{argument}.index"] = index


class Recorder:
    """Records the calls of one stub function."""

    def __init__(self, declared: Declaration, parameters: Mapping[str, inspect.Parameter], legacy: bool) -> None:
        self._declared = declared
        self._legacy = legacy
        self._names = tuple(parameters)
        self._defaults = {
            name: parameter.default
            for name, parameter in parameters.items()
            if parameter.default is not parameter.empty and name not in _IDLE
        }

    def record(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """The function was called with these arguments and returned `result`."""
        reads: dict[str, Tensor] = {}
        writes: dict[str, Tensor] = {}
        attributes: dict[str, Any] = dict(self._defaults)
        mask = asked = None
        given = {**dict(zip(self._names, args, strict=False)), **kwargs}
        for name, value in given.items():
            if name == "mask":
                mask = as_mask(value) if value is not None else None
            elif name == "engine":
                asked = value
            elif name in _IDLE:
                continue
            elif isinstance(value, Tensor):
                attributes.pop(name, None)
                (writes if name in WRITTEN else reads)[name] = value
            elif isinstance(value, Access) or (is_sequence(value) and _holds_tensors(value)):
                attributes.pop(name, None)
                found = writes if name in WRITTEN else reads
                for argument, view in views_in(name, value):
                    found[argument] = view
                if is_sequence(value) and not _holds_only_tensors(value):
                    attributes[name] = _as_given(value)
            else:
                attributes[name] = _as_given(value)
        attributes.pop("mask", None)
        if "accumulate" in attributes:
            attributes["accumulate"] = _truth(attributes["accumulate"])
        for name, value in attributes.items():
            if name in OPERATOR_PARAMETERS and value is not None and not isinstance(value, Operator):
                attributes[name] = (legacy_operator if self._legacy else operator)(value)
        if self._legacy and self._declared.index_expression and isinstance(result, Tensor):
            attributes.update(_as_pattern(attributes.pop(self._declared.index_expression), result))
        if isinstance(result, Tensor):
            writes.setdefault("result", result)
        elif result is not None and "register" in type(result).__name__.lower():
            attributes["result"] = result
        _add_updates(self._declared.behaviour.updates, reads, writes, attributes)
        _record(self._declared.name, reads, writes, attributes, mask, asked)


def _as_pattern(value: object, result: Tensor) -> dict[str, Any]:
    """An index expression over the axes of `result`, or a comparison of one, as the current API has it."""
    compared = value.terms[0] if isinstance(value, Mask) and value.terms else None
    index = compared.difference if compared is not None else value
    if not isinstance(index, IndexTensor) or index.ndim > result.ndim:
        return {}
    factors = (*(0 for _ in range(result.ndim - index.ndim)), *index.coefficients)
    pattern = [[factor, extent] for factor, extent in zip(factors[1:], result.shape[1:], strict=True)]
    found: dict[str, Any] = {"pattern": pattern, "channel_multiplier": factors[0], "offset": index.base}
    if compared is not None:
        found["cmp_op"] = OPERATORS[_RELATIONS[compared.relation]]
    return found


def _truth(value: object) -> object:
    """A flag as `None`, a `bool` or a condition, whatever is given for it."""
    if value is None or isinstance(value, Condition):
        return value
    return value != 0 if isinstance(value, SymInt) else bool(value)


def _as_given(value: object) -> object:
    """An argument as it is when the operation is executed: a kernel may change its list afterwards."""
    if not is_sequence(value) or (isinstance(value, SymList) and value.symbolic):
        return value
    return tuple(map(_as_given, value))


def _holds_tensors(value: Any) -> bool:
    return any(isinstance(part, _TENSORS) or (is_sequence(part) and _holds_tensors(part)) for part in value)


def _holds_only_tensors(value: Any) -> bool:
    return all(isinstance(part, _TENSORS) or (is_sequence(part) and _holds_only_tensors(part)) for part in value)


def _add_updates(
    updates: Updates, reads: dict[str, Tensor], writes: dict[str, Tensor], attributes: dict[str, Any]
) -> None:
    """Operands that are written and also read: what is there stays in part, or is added to."""
    target = writes.get("dst")
    if target is None:
        return
    if updates is Updates.SHUFFLING:
        attributes[ONE_QUADRANT] = known(target.shape[0] <= LANES)
    # Where a condition decides whether it adds, as in `accumulate=k > 0`, it may read what is there.
    accumulate = attributes.get("accumulate")
    adds = updates is Updates.ACCUMULATING and (accumulate is True or isinstance(accumulate, Condition))
    adds |= updates is Updates.MODIFYING and attributes.get("dst_rmw_op") is not None
    if adds or updates is Updates.ALWAYS or (updates is Updates.SHUFFLING and _leaves_lanes(attributes, target)):
        reads["dst"] = target


def _leaves_lanes(attributes: dict[str, Any], target: Tensor) -> bool:
    lanes = attributes.get("shuffle_mask")
    return is_sequence(lanes) and any(lane == LANE_STAYS for lane in lanes) and not _all_lanes_written(lanes, target)


def _all_lanes_written(lanes: Sequence[object], target: Tensor) -> bool:
    """True if every partition that the destination surely has takes another's numbers. False means "not known"."""
    first = next(at for at, lane in enumerate(lanes) if lane == LANE_STAYS)
    return known(target.shape[0] <= first)
