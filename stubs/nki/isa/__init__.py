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
from nkiverify.model.ops import microscaling as _microscaling
from nkiverify.model.registers import VirtualRegister

from ..language import NKIObject, NkiTensor, equal, maximum
from . import _unmodelled
from ._declared import (
    activate2,
    activation,
    activation_reduce,
    affine_select,
    bn_aggr,
    bn_stats,
    dma_compute,
    dma_copy,
    dma_transpose,
    exponential,
    iota,
    local_gather,
    max8,
    memset,
    nc_find_index8,
    nc_match_replace8,
    nc_matmul,
    nc_n_gather,
    nc_stream_shuffle,
    nc_transpose,
    nonzero_with_count,
    range_select,
    reciprocal,
    scalar_tensor_tensor,
    select_reduce,
    sendrecv,
    sequence_bounds,
    tensor_copy,
    tensor_copy_predicated,
    tensor_partition_reduce,
    tensor_reduce,
    tensor_scalar,
    tensor_scalar_cumulative,
    tensor_scalar_reduce,
    tensor_tensor,
    tensor_tensor_scan,
    topk,
)
from ._indexed import (
    core_barrier,
    register_alloc,
    register_load,
    register_move,
    register_store,
)
from ._numeric import (
    dropout,
    rand2,
    rand_get_state,
    rand_set_state,
    rng,
    set_rng_seed,
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


_DOCUMENTED = frozenset(_unmodelled.__all__)


def __getattr__(name: str) -> Any:
    if name in _DOCUMENTED:
        return getattr(_unmodelled, name)
    raise AttributeError(f"module 'nki.isa' has no attribute {name!r}")
