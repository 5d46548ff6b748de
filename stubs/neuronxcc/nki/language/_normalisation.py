"""Normalisation, random numbers and gathers of the legacy language."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkiverify.model.documented import legacy_documented
from nkiverify.model.legacy_tensor import LegacyTensor
from nkiverify.model.legacy_tensor import given_mask as _given_mask
from nkiverify.model.ops import legacy_language as _language

__all__ = ["dropout", "gather_flattened", "rand", "rms_norm", "softmax"]


@legacy_documented
def softmax(
    x: Any, axis: Any, *, dtype: Any = None, compute_dtype: Any = None, mask: Any = None, **kwargs: Any
) -> LegacyTensor:
    """Softmax over free axes."""
    return _language.softmax(x, axis, dtype, compute_dtype, _given_mask(mask))


@legacy_documented
def rms_norm(
    x: Any,
    w: Any,
    axis: Any,
    n: Any,
    epsilon: Any = 1e-06,
    *,
    dtype: Any = None,
    compute_dtype: Any = None,
    mask: Any = None,
    **kwargs: Any,
) -> LegacyTensor:
    """x / RMS(x) * w."""
    return _language.rms_norm(x, w, axis, dtype, compute_dtype, _given_mask(mask))


@legacy_documented
def dropout(x: Any, rate: Any, *, dtype: Any = None, mask: Any = None, **kwargs: Any) -> LegacyTensor:
    """Elements set to 0 at a rate."""
    return _language.dropout(x, rate, dtype, _given_mask(mask))


@legacy_documented
def rand(shape: Any, dtype: Any = np.float32, **kwargs: Any) -> LegacyTensor:
    """Random numbers from 0 to 1."""
    return _language.random(shape, dtype)


@legacy_documented
def gather_flattened(data: Any, indices: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> LegacyTensor:
    """Elements of flattened free axes by index."""
    return _language.gather_flattened(data, indices, dtype, _given_mask(mask))
