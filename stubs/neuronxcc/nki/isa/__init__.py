"""Instructions of the legacy API: they return the tile they write."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from nkiverify.model.documented import legacy_documented, unmodelled
from nkiverify.model.legacy_tensor import LegacyTensor
from nkiverify.model.legacy_tensor import given_mask as _given_mask
from nkiverify.model.ops import legacy_isa as _isa

from ..language import fp32

__all__ = [
    "LegacyTensor",
    "dge_mode",
    "engine",
    "enum",
    "fp32",
    "gpsimd_engine",
    "nc_matmul",
    "nc_version",
    "oob_mode",
    "reduce_cmd",
    "scalar_engine",
    "tensor_engine",
    "unknown_engine",
    "vector_engine",
]


class engine(enum.IntEnum):
    """The engine an instruction runs on."""

    tensor = 1
    vector = 5
    scalar = 2
    gpsimd = 3
    sync = 6
    unknown = 0


class reduce_cmd(enum.IntEnum):
    """What an instruction does with the reduction registers."""

    idle = 0
    reset = 1
    reset_reduce = 3
    reduce = 2


class dge_mode(enum.IntEnum):
    """How the descriptors of a DMA are generated."""

    none = 0
    swdge = 1
    hwdge = 2
    unknown = 3


class oob_mode(enum.IntEnum):
    """What a DMA does with an index out of bounds that is known at run time only."""

    error = 0
    skip = 1


class nc_version(enum.IntEnum):
    """Generations of the NeuronCore."""

    gen2 = 2
    gen3 = 3


tensor_engine = engine.tensor
vector_engine = engine.vector
scalar_engine = engine.scalar
gpsimd_engine = engine.gpsimd
unknown_engine = engine.unknown


@legacy_documented
def nc_matmul(
    stationary: Any,
    moving: Any,
    *,
    is_stationary_onezero: Any = False,
    is_moving_onezero: Any = False,
    is_transpose: Any = False,
    tile_position: Any = (),
    tile_size: Any = (),
    mask: Any = None,
    **kwargs: Any,
) -> LegacyTensor:
    """stationary transposed times moving, in PSUM, float32."""
    return _isa.nc_matmul(stationary, moving, is_transpose, tile_position, tile_size, _given_mask(mask))


_DOCUMENTED = frozenset(())


def __getattr__(name: str) -> Callable[..., Any]:
    if name in _DOCUMENTED:
        return unmodelled("neuronxcc.nki.isa", name)
    raise AttributeError(f"module 'neuronxcc.nki.isa' has no attribute {name!r}")
