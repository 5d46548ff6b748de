"""Instructions of the current API: every one writes its explicit destination ("isa.dst_first")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkiverify.model.documented import documented, unmodelled
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
from nkiverify.model.operators import operator
from nkiverify.model.ops import data_movement as _data_movement
from nkiverify.model.ops import elementwise as _elementwise
from nkiverify.model.ops import tensor_engine as _tensor_engine
from nkiverify.run import current_run

from ..language import NKIObject, NkiTensor, equal, maximum

__all__ = [
    "NKIObject",
    "NkiInstruction",
    "NkiTensor",
    "NkiValidationError",
    "dge_mode",
    "dma_copy",
    "dma_engine",
    "engine",
    "equal",
    "get_nc_version",
    "gpsimd_engine",
    "matmul_perf_mode",
    "maximum",
    "memset",
    "nc_matmul",
    "nc_transpose",
    "nc_version",
    "oob_mode",
    "reduce_cmd",
    "scalar_engine",
    "tensor_copy",
    "tensor_engine",
    "tensor_tensor",
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
    return nc_version(current_run().hardware.generation)


@documented
def dma_copy(
    dst: Any,
    src: Any,
    priority: Any = None,
    oob_mode: Any = oob_mode.error,
    dge_mode: Any = dge_mode.unknown,
    engine: Any = engine.unknown,
    name: Any = None,
) -> NkiInstruction:
    """Copy between HBM and SBUF, converting the dtype."""
    _data_movement.dma_copy(dst, src, priority, oob_mode, dge_mode, engine)
    return ISSUED


@documented
def tensor_copy(dst: Any, src: Any, engine: Any = engine.unknown, name: Any = None) -> NkiInstruction:
    """Copy inside SBUF and PSUM, converting the dtype."""
    _data_movement.tensor_copy(dst, src, engine)
    return ISSUED


@documented
def memset(dst: Any, value: Any, engine: Any = engine.unknown, name: Any = None) -> NkiInstruction:
    """Fill a tile with a constant."""
    _data_movement.memset(dst, value, engine)
    return ISSUED


@documented
def nc_matmul(
    dst: Any,
    stationary: Any,
    moving: Any,
    is_stationary_onezero: Any = False,
    is_moving_onezero: Any = False,
    is_transpose: Any = False,
    accumulate: Any = None,
    tile_position: Any = (),
    tile_size: Any = (),
    perf_mode: Any = matmul_perf_mode.none,
    name: Any = None,
) -> NkiInstruction:
    """dst = stationary transposed times moving, on the Tensor Engine."""
    _tensor_engine.nc_matmul(dst, stationary, moving, is_transpose, tile_position, tile_size, perf_mode)
    return ISSUED


@documented
def nc_transpose(dst: Any, data: Any, engine: Any = engine.unknown, name: Any = None) -> NkiInstruction:
    """dst = data transposed, on the Tensor or Vector Engine."""
    _tensor_engine.nc_transpose(dst, data, engine)
    return ISSUED


@documented
def tensor_tensor(
    dst: Any, data1: Any, data2: Any, op: Any, engine: Any = engine.unknown, name: Any = None
) -> NkiInstruction:
    """dst = data1 op data2, element by element."""
    _elementwise.tensor_tensor(dst, data1, data2, operator(op), engine)
    return ISSUED


_DOCUMENTED = frozenset(
    (
        "VirtualRegister", "activate2", "activation", "activation_reduce", "affine_select", "bn_aggr", "bn_stats",
        "core_barrier", "dma_compute", "dma_transpose", "dropout", "exponential", "get_nc_sub_version", "iota",
        "local_gather", "max8", "nc_find_index8", "nc_match_replace8", "nc_matmul_mx", "nc_n_gather",
        "nc_stream_shuffle", "nonzero_with_count", "quantize_mx", "rand2", "rand_get_state", "rand_set_state",
        "range_select", "reciprocal", "register_alloc", "register_load", "register_move", "register_store", "rng",
        "scalar_tensor_tensor", "select_reduce", "sendrecv", "sequence_bounds", "set_rng_seed",
        "tensor_copy_predicated", "tensor_partition_reduce", "tensor_reduce", "tensor_scalar",
        "tensor_scalar_cumulative", "tensor_scalar_reduce", "tensor_tensor_scan", "topk",
    )
)  # fmt: skip


def __getattr__(name: str) -> Callable[..., Any]:
    if name in _DOCUMENTED:
        return unmodelled("nki.isa", name)
    raise AttributeError(f"module 'nki.isa' has no attribute {name!r}")
