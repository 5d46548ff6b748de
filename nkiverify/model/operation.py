"""What an instruction does to tensors, recorded: the operands it reads and writes, and all its other arguments.

Stub functions take the documented parameters, and these have uniform names: a tensor passed as `dst` (or one of the few
names in `WRITTEN`) is written, any other is read, and a function that returns a new tile writes `result`. So the
wrapper of every stub function (`nkiverify.model.documented`) records the call; Python's operators on tiles and
assignments to their elements record themselves with `issue`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from nkiverify.model.access import Access
from nkiverify.model.contents import overwritten
from nkiverify.model.dynamic_loops import LoopBody, innermost_body
from nkiverify.model.execution import current_execution
from nkiverify.model.extents import is_sequence
from nkiverify.model.indices import IndexTensor, Mask, Relation, as_mask
from nkiverify.model.isa_enums import engine, reduce_cmd
from nkiverify.model.launch import current_launch
from nkiverify.model.operators import OPERATORS, legacy_operator, operator
from nkiverify.model.placement import MEMORY_PHASE, claim_operands
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Condition, Extent, SymInt, known

#: Parameters whose tensors are written; "isa.dst_first" and the documented signatures.
WRITTEN = frozenset(("dst", "dsts", "dsts_by_channel", "dst_scale", "dst_idx", "val_dst", "idx_dst", "reduce_res"))
#: Parameters that name operators by tokens.
_OPERATORS = frozenset(("op", "op0", "op1", "reduce_op", "cmp_op", "comp_op0", "comp_op1"))
#: Parameters that do not change what is computed.
_IDLE = frozenset(("name", "kwargs", "engine", "priority", "dge_mode", "dma_engine", "buffer"))
#: Documented functions that touch no element: allocation, views, what the host computes.
HOST_FUNCTIONS = frozenset(
    (
        "ndarray", "empty_like", "ds", "arange", "expand_dims", "affine_range", "sequential_range", "static_range",
        "program_id", "num_programs", "program_ndim", "is_hbm", "is_sbuf", "is_psum", "is_on_chip", "dynamic_range",
        "fori_loop", "while_loop", "no_reorder", "get_nc_version", "spmd_dim",
    )
)  # fmt: skip
#: How operations are called: by the documentation's short names of the modules.
_PREFIXES = {"isa": "nisa", "language": "nl", "collectives": "ncc"}
#: Engines of instructions that have no choice; what is not listed runs on any of several.
_ENGINES = {
    "nc_matmul": "tensor", "nc_matmul_mx": "tensor", "matmul": "tensor", "activation": "scalar",
    "activation_reduce": "scalar", "activate2": "scalar", "iota": "gpsimd", "local_gather": "gpsimd",
    "nc_n_gather": "gpsimd", "tensor_partition_reduce": "gpsimd", "dma_copy": "dma", "dma_transpose": "dma",
    "dma_compute": "dma", "load": "dma", "load_transpose2d": "dma", "store": "dma", "sendrecv": "dma",
}  # fmt: skip


#: Legacy functions that take an index expression, or a comparison of one, where the current ones take a pattern.
_INDEX_EXPRESSIONS = {"nisa.iota": "expr", "nisa.affine_select": "pred"}
_RELATIONS = {Relation.AT_MOST: "less_equal", Relation.EQUAL: "equal", Relation.UNEQUAL: "not_equal"}


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One executed operation.

    `name` is the documented one ("nisa.nc_matmul"); legacy functions have the same names and return their `result`.
    `reads` and `writes` are views by parameter; elements of lists are called `srcs[0]`, an index tensor that moves an
    operand `src.index`. An operand that keeps part of what it holds, or adds to it, is in both. `mask` (legacy) says
    under which coordinates of the operands' grid elements are touched. `attributes` are all other arguments: numbers,
    operators, axes, flags, registers, dtypes. `body` is the device loop the operation is emitted in, `program` the
    coordinates of the program that runs it.
    """

    name: str
    reads: dict[str, Tensor]
    writes: dict[str, Tensor]
    attributes: dict[str, Any]
    mask: Mask | None = None
    body: LoopBody | None = None
    program: tuple[Extent, ...] = ()
    asked_engine: object = field(default=None)

    @property
    def engine(self) -> str:
        """The engine it runs on, by name; "any" where several can and the kernel does not say which."""
        asked = getattr(self.asked_engine, "name", None)
        if asked is not None and asked != engine.unknown.name:
            return str(asked)
        return _ENGINES.get(self.name.partition(".")[2], "any")


def issue(
    name: str,
    *,
    writes: dict[str, Tensor],
    reads: dict[str, Tensor] | None = None,
    mask: Mask | None = None,
    followed: bool = False,
    **attributes: object,
) -> None:
    """The run in progress executes an operation of Python's operators. Unless the numbers that it writes are `followed`
    by whoever executes it, they are not known."""
    if not followed:
        for view in writes.values():
            overwritten(view)
    _record(name, writes=writes, reads=reads, mask=mask, **attributes)


def _record(
    name: str,
    *,
    writes: dict[str, Tensor],
    reads: dict[str, Tensor] | None = None,
    mask: Mask | None = None,
    asked_engine: object = None,
    **attributes: object,
) -> None:
    """The run in progress executes an operation, if it asked to be told of them."""
    run = current_execution()
    if not run.records:
        return
    read = dict(reads or {})
    for argument, view in (*read.items(), *writes.items()):
        if view.indirect_by is not None:
            _read_index(view, argument, read, attributes)
    program = current_launch().program
    operation = Operation(name, read, writes, attributes, mask, innermost_body(), program, asked_engine)
    if MEMORY_PHASE in run.phases:
        claim_operands(operation)
    run.operation(operation)


def _read_index(view: Tensor, argument: str, reads: dict[str, Tensor], attributes: dict[str, object]) -> None:
    assert view.indirect_by is not None
    index = view.indirect_by.index
    if isinstance(index, Tensor):
        reads[f"{argument}.index"] = index
    else:
        attributes[f"{argument}.index"] = index


class Recorder:
    """Records the calls of one stub function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        package = function.__module__.split(".")
        self.name = f"{next((_PREFIXES[part] for part in package if part in _PREFIXES), 'nki')}.{function.__name__}"
        self._legacy = package[0] == "neuronxcc"
        parameters = inspect.signature(function).parameters
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
        given = dict(zip(self._names, args, strict=False))
        given.update(kwargs)
        for name, value in given.items():
            if name == "mask":
                mask = as_mask(value) if value is not None else None
            elif name == "engine":
                asked = value
            elif name in _IDLE:
                continue
            elif isinstance(value, Tensor | Access) or (is_sequence(value) and _holds_tensors(value)):
                attributes.pop(name, None)
                found = writes if name in WRITTEN else reads
                for argument, view in _views(name, value):
                    found[argument] = view
                if is_sequence(value) and not _holds_only_tensors(value):
                    attributes[name] = value
            else:
                attributes[name] = value
        attributes.pop("mask", None)
        if "accumulate" in attributes:
            attributes["accumulate"] = _truth(attributes["accumulate"])
        for name in _OPERATORS & attributes.keys():
            if attributes[name] is not None:
                attributes[name] = (legacy_operator if self._legacy else operator)(attributes[name])
        if self._legacy and self.name in _INDEX_EXPRESSIONS and isinstance(result, Tensor):
            attributes.update(_as_pattern(attributes.pop(_INDEX_EXPRESSIONS[self.name]), result))
        if isinstance(result, Tensor):
            writes.setdefault("result", result)
        elif result is not None and "register" in type(result).__name__.lower():
            attributes["result"] = result
        _add_updates(self.name, reads, writes, attributes)
        _record(self.name, writes=writes, reads=reads, mask=mask, asked_engine=asked, **attributes)


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


def _holds_tensors(value: Any) -> bool:
    return any(isinstance(part, Tensor | Access) or (is_sequence(part) and _holds_tensors(part)) for part in value)


def _holds_only_tensors(value: Any) -> bool:
    return all(isinstance(part, Tensor | Access) or (is_sequence(part) and _holds_only_tensors(part)) for part in value)


def _views(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Access):
        yield name, value.view
    elif isinstance(value, Tensor):
        yield name, value
    elif is_sequence(value):
        for position, part in enumerate(value):
            yield from _views(f"{name}[{position}]", part)


#: A lane of nc_stream_shuffle's mask that leaves its partition alone.
LANE_STAYS = 255


def _add_updates(name: str, reads: dict[str, Tensor], writes: dict[str, Tensor], attributes: dict[str, Any]) -> None:
    """Operands that are written and also read: what is there stays in part, or is added to."""
    target = writes.get("dst")
    if target is None:
        return
    accumulate = attributes.get("accumulate")
    # Where a condition decides whether it adds, as in `accumulate=k > 0`, it may read what is there.
    if name == "nisa.tensor_copy_predicated" or accumulate is True or isinstance(accumulate, Condition):
        reads["dst"] = target
    elif name == "nisa.nc_stream_shuffle":
        lanes = attributes.get("shuffle_mask")
        if is_sequence(lanes) and any(lane == LANE_STAYS for lane in lanes) and not _all_lanes_written(lanes, target):
            reads["dst"] = target


def _all_lanes_written(lanes: Sequence[object], target: Tensor) -> bool:
    """Whether every partition that the destination surely has takes another's numbers. False means "not known"."""
    first = next(at for at, lane in enumerate(lanes) if lane == LANE_STAYS)
    return known(target.shape[0] <= first)


#: Operations that may change the registers with `reduce_cmd.idle` ("acc.idle_clobbers").
IDLE_CLOBBERS = ("nisa.exponential", "nisa.select_reduce")


def loads_registers(operation: Operation) -> bool:
    """Whether the operation goes on from what the reduction registers of its engine hold ("acc.scalar_regs")."""
    return getattr(operation.attributes.get("reduce_cmd"), "name", "") == reduce_cmd.reduce.name
