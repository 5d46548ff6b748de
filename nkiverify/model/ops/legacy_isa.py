"""Instructions of the legacy API: each makes the tile it returns, then demands what the current one does."""

from __future__ import annotations

from collections.abc import Sequence

from nkiverify.model.dtypes import float32
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, operand, result_tile
from nkiverify.model.memory import PSUM
from nkiverify.model.ops import tensor_engine
from nkiverify.symbolic import Extent


def nc_matmul(
    stationary: object,
    moving: object,
    is_transpose: object,
    tile_position: Sequence[Extent],
    tile_size: Sequence[Extent],
    mask: Mask | None,
) -> LegacyTensor:
    """stationary (K, M) transposed, times moving (K, N): a new PSUM tile (M, N), always float32."""
    left, right = operand(stationary, mask, "stationary"), operand(moving, mask, "moving")
    result = result_tile((left.free_size, right.free_size), float32, PSUM, mask)
    tensor_engine.nc_matmul(result, left, right, is_transpose, tile_position, tile_size)
    return result
