"""Instructions of the current API: every one writes its explicit destination ("isa.dst_first")."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import documented
from nkiverify.model.execution import current_execution
from nkiverify.model.instruction import ISSUED, NkiInstruction
from nkiverify.model.isa_enums import (
    dge_mode,
    dma_engine,
    engine,
    matmul_perf_mode,
    nc_version,
    oob_mode,
    reduce_cmd,
)
from nkiverify.model.operators import Operator, operator
from nkiverify.model.ops import elementwise as _elementwise
from nkiverify.model.ops import microscaling as _microscaling
from nkiverify.model.ops import reductions as _reductions
from nkiverify.model.registers import VirtualRegister

from ..language import NKIObject, NkiTensor, equal, maximum
from . import _unmodelled
from ._declared import (
    dma_compute,
    dma_copy,
    dma_transpose,
    memset,
    nc_matmul,
    nc_transpose,
    sendrecv,
    tensor_copy,
)
from ._indexed import (
    affine_select,
    core_barrier,
    iota,
    local_gather,
    nc_n_gather,
    nc_stream_shuffle,
    range_select,
    register_alloc,
    register_load,
    register_move,
    register_store,
    select_reduce,
    tensor_copy_predicated,
)
from ._numeric import (
    activate2,
    bn_aggr,
    bn_stats,
    dropout,
    exponential,
    max8,
    nc_find_index8,
    nc_match_replace8,
    nonzero_with_count,
    rand2,
    rand_get_state,
    rand_set_state,
    rng,
    sequence_bounds,
    set_rng_seed,
    tensor_partition_reduce,
    tensor_scalar_cumulative,
    topk,
)

__all__ = [
    "NKIObject",
    "NkiInstruction",
    "NkiTensor",
    "NkiValidationError",
    "VirtualRegister",
    "activate2",
    "activation",
    "activation_reduce",
    "affine_select",
    "bn_aggr",
    "bn_stats",
    "core_barrier",
    "dge_mode",
    "dma_compute",
    "dma_copy",
    "dma_engine",
    "dma_transpose",
    "dropout",
    "engine",
    "equal",
    "exponential",
    "get_nc_sub_version",
    "get_nc_version",
    "gpsimd_engine",
    "iota",
    "local_gather",
    "matmul_perf_mode",
    "max8",
    "maximum",
    "memset",
    "nc_find_index8",
    "nc_match_replace8",
    "nc_matmul",
    "nc_matmul_mx",
    "nc_n_gather",
    "nc_stream_shuffle",
    "nc_transpose",
    "nc_version",
    "nonzero_with_count",
    "oob_mode",
    "quantize_mx",
    "rand2",
    "rand_get_state",
    "rand_set_state",
    "range_select",
    "reciprocal",
    "reduce_cmd",
    "register_alloc",
    "register_load",
    "register_move",
    "register_store",
    "rng",
    "scalar_engine",
    "scalar_tensor_tensor",
    "select_reduce",
    "sendrecv",
    "sequence_bounds",
    "set_rng_seed",
    "tensor_copy",
    "tensor_copy_predicated",
    "tensor_engine",
    "tensor_partition_reduce",
    "tensor_reduce",
    "tensor_scalar",
    "tensor_scalar_cumulative",
    "tensor_scalar_reduce",
    "tensor_tensor",
    "tensor_tensor_scan",
    "topk",
    "unknown_engine",
    "vector_engine",
]


tensor_engine = engine.tensor
vector_engine = engine.vector
scalar_engine = engine.scalar
gpsimd_engine = engine.gpsimd
unknown_engine = engine.unknown


class NkiValidationError(Exception):
    """What the simulator raises where an instruction's rules are broken."""


@documented
def get_nc_version() -> nc_version:
    """The generation of the hardware the kernel is checked for."""
    return nc_version(current_execution().hardware.generation)


@documented
def tensor_tensor(
    dst: Any, data1: Any, data2: Any, op: Any, engine: Any = engine.unknown, name: Any = None
) -> NkiInstruction:
    """dst = data1 op data2, element by element."""
    _elementwise.tensor_tensor(dst, data1, data2, operator(op), engine)
    return ISSUED


@documented
def tensor_scalar(
    dst: Any,
    data: Any,
    op0: Any,
    operand0: Any,
    reverse0: Any = False,
    op1: Any = None,
    operand1: Any = None,
    reverse1: Any = False,
    engine: Any = engine.unknown,
    name: Any = None,
) -> NkiInstruction:
    """dst = (data op0 operand0) op1 operand1."""
    _elementwise.tensor_scalar(dst, data, operator(op0), operand0, _optional(op1), operand1, engine)
    return ISSUED


@documented
def scalar_tensor_tensor(
    dst: Any,
    data: Any,
    op0: Any,
    operand0: Any,
    op1: Any,
    operand1: Any,
    reverse0: Any = False,
    reverse1: Any = False,
    name: Any = None,
) -> NkiInstruction:
    """dst = (data op0 operand0) op1 operand1, operand1 a tile."""
    _elementwise.scalar_tensor_tensor(dst, data, operator(op0), operand0, operator(op1), operand1)
    return ISSUED


@documented
def tensor_scalar_reduce(
    dst: Any,
    data: Any,
    op0: Any,
    operand0: Any,
    reduce_op: Any,
    reduce_res: Any = None,
    reverse0: Any = False,
    reduce_cmd: Any = reduce_cmd.reset_reduce,
    reduce_init: Any = None,
    reduce_res_negate: Any = False,
    name: Any = None,
) -> NkiInstruction:
    """dst = data op0 operand0, and its reduction over the free axes."""
    _elementwise.tensor_scalar_reduce(
        dst, data, operator(op0), operand0, operator(reduce_op), reduce_res, reverse0, reduce_cmd, reduce_init
    )
    return ISSUED


@documented
def tensor_tensor_scan(
    dst: Any,
    data0: Any,
    data1: Any,
    initial: Any,
    op0: Any,
    op1: Any,
    reverse0: Any = False,
    reverse1: Any = False,
    name: Any = None,
) -> NkiInstruction:
    """A recurrence along the free axis."""
    _elementwise.tensor_tensor_scan(dst, data0, data1, initial, operator(op0), operator(op1))
    return ISSUED


@documented
def tensor_reduce(
    dst: Any, op: Any, data: Any, axis: Any, negate: Any = False, keepdims: Any = False, name: Any = None
) -> NkiInstruction:
    """dst = data reduced over its last axes."""
    _reductions.tensor_reduce(dst, operator(op), data, axis, negate)
    return ISSUED


@documented
def activation(
    dst: Any,
    op: Any,
    data: Any,
    bias: Any = None,
    scale: Any = 1.0,
    reduce_op: Any = None,
    reduce_res: Any = None,
    reduce_cmd: Any = reduce_cmd.idle,
    name: Any = None,
) -> NkiInstruction:
    """dst = op(data * scale + bias)."""
    _elementwise.activation(dst, operator(op), data, bias, scale, _optional(reduce_op), reduce_res, reduce_cmd)
    return ISSUED


@documented
def activation_reduce(
    dst: Any, op: Any, data: Any, reduce_op: Any, reduce_res: Any, bias: Any = None, scale: Any = 1.0, name: Any = None
) -> NkiInstruction:
    """dst = op(data * scale + bias), and its sum over the free axes."""
    _elementwise.activation_reduce(dst, operator(op), data, operator(reduce_op), reduce_res, bias, scale)
    return ISSUED


@documented
def reciprocal(dst: Any, data: Any, name: Any = None) -> NkiInstruction:
    """dst = 1 / data."""
    _elementwise.reciprocal(dst, data)
    return ISSUED


@documented
def quantize_mx(dst: Any, src: Any, dst_scale: Any, name: Any = None) -> NkiInstruction:
    """Quantise to a microscaled format (gen4)."""
    _microscaling.quantize_mx(dst, src, dst_scale)
    return ISSUED


@documented
def nc_matmul_mx(
    dst: Any,
    stationary: Any,
    moving: Any,
    stationary_scale: Any,
    moving_scale: Any,
    tile_position: Any = None,
    tile_size: Any = None,
    accumulate: Any = None,
    name: Any = None,
) -> NkiInstruction:
    """dst = stationary transposed times moving, in microscaled formats (gen4)."""
    _microscaling.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale, tile_position, tile_size)
    return ISSUED


def _optional(op: Any) -> Operator | None:
    return None if op is None else operator(op)


_DOCUMENTED = frozenset(_unmodelled.__all__)


def __getattr__(name: str) -> Any:
    if name in _DOCUMENTED:
        return getattr(_unmodelled, name)
    raise AttributeError(f"module 'nki.isa' has no attribute {name!r}")
