"""Dropout of the legacy API."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import legacy_documented
from nkiverify.model.legacy_tensor import LegacyTensor
from nkiverify.model.legacy_tensor import given_mask as _given_mask
from nkiverify.model.ops import legacy_selection as _selection

__all__ = [
    "dropout",
]


@legacy_documented
def dropout(data: Any, prob: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> LegacyTensor:
    """Elements set to 0 at a rate."""
    return _selection.dropout(data, prob, dtype, _given_mask(mask))
