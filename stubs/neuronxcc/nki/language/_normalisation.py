"""Random numbers of the legacy language."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkiverify.model.documented import legacy_documented
from nkiverify.model.legacy_tensor import LegacyTensor
from nkiverify.model.legacy_tensor import given_mask as _given_mask
from nkiverify.model.ops import legacy_language as _language

__all__ = ["dropout", "rand"]


@legacy_documented
def dropout(x: Any, rate: Any, *, dtype: Any = None, mask: Any = None, **kwargs: Any) -> LegacyTensor:
    """Elements set to 0 at a rate."""
    return _language.dropout(x, rate, dtype, _given_mask(mask))


@legacy_documented
def rand(shape: Any, dtype: Any = np.float32, **kwargs: Any) -> LegacyTensor:
    """Random numbers from 0 to 1."""
    return _language.random(shape, dtype)
