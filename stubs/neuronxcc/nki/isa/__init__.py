"""Instructions of the legacy API: they return the tile they write."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import legacy_documented
from nkiverify.model.execution import current_execution
from nkiverify.model.legacy_enums import dge_mode, engine, nc_version, oob_mode, reduce_cmd

from ..language import fp32
from ._declared import (
    activation,
    activation_reduce,
    affine_select,
    bn_aggr,
    bn_stats,
    dma_copy,
    iota,
    local_gather,
    max8,
    memset,
    nc_find_index8,
    nc_match_replace8,
    nc_matmul,
    nc_stream_shuffle,
    nc_transpose,
    range_select,
    reciprocal,
    scalar_tensor_tensor,
    select_reduce,
    sequence_bounds,
    tensor_copy,
    tensor_copy_predicated,
    tensor_partition_reduce,
    tensor_reduce,
    tensor_scalar,
    tensor_scalar_reduce,
    tensor_tensor,
    tensor_tensor_scan,
)

__all__ = [
    "activation",
    "activation_reduce",
    "affine_select",
    "bn_aggr",
    "bn_stats",
    "builtin_custom_op",
    "dge_mode",
    "dma_copy",
    "dma_engine",
    "dma_transpose",
    "dropout",
    "engine",
    "fp32",
    "get_nc_version",
    "gpsimd_engine",
    "iota",
    "local_gather",
    "max8",
    "memset",
    "nc_find_index8",
    "nc_match_replace8",
    "nc_matmul",
    "nc_stream_shuffle",
    "nc_transpose",
    "nc_version",
    "oob_mode",
    "range_select",
    "reciprocal",
    "reduce_cmd",
    "scalar_engine",
    "scalar_tensor_tensor",
    "select_reduce",
    "sequence_bounds",
    "tensor_copy",
    "tensor_copy_dynamic_dst",
    "tensor_copy_dynamic_src",
    "tensor_copy_predicated",
    "tensor_engine",
    "tensor_partition_reduce",
    "tensor_reduce",
    "tensor_scalar",
    "tensor_scalar_reduce",
    "tensor_tensor",
    "tensor_tensor_scan",
    "unknown_engine",
    "vector_engine",
]


tensor_engine = engine.tensor
vector_engine = engine.vector
scalar_engine = engine.scalar
gpsimd_engine = engine.gpsimd
unknown_engine = engine.unknown


@legacy_documented
def get_nc_version() -> nc_version:
    """The generation of the hardware the kernel is checked for."""
    return nc_version(current_execution().hardware.generation)


from . import _unmodelled  # noqa: E402 (they need the enumerations above)
from ._selection import (  # noqa: E402
    dropout,
)

_DOCUMENTED = frozenset(_unmodelled.__all__)


def __getattr__(name: str) -> Any:
    if name in _DOCUMENTED:
        return getattr(_unmodelled, name)
    raise AttributeError(f"module 'neuronxcc.nki.isa' has no attribute {name!r}")
