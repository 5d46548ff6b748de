"""Selects, index patterns, searches, statistics and gathers of the legacy API (reference section f.4).

As in `legacy_isa`, each makes the tile it returns, then demands what the current instruction does.
"""

from __future__ import annotations

from nkiverify.model.access import Access
from nkiverify.model.dtypes import DType
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, result_tile
from nkiverify.model.ops import randomness
from nkiverify.model.tensor import Tensor


def _dtype(dtype: object, default: DType) -> DType:
    return default if dtype is None else named_dtype(dtype)


def _resolved(value: object, mask: Mask | None, argument: str) -> object:
    """A tile as it is under the mask; anything else as it is."""
    return operand(value, mask, argument) if isinstance(value, Tensor | Access) else value


def dropout(data: object, prob: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """data, each element set to 0 with probability `prob`."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)
    randomness.dropout(result, source, _resolved(prob, mask, "prob"))
    return result
