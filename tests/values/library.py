"""The stub library as users import it, kernels of the corpus, and tolerances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation import resources
from nkiverify.frontend.loader import load_kernel
from tests.model.stub_library import nisa, nki, nl, old_nisa, old_nki, old_nl

__all__ = ["close", "corpus", "nisa", "nki", "nl", "old_nisa", "old_nki", "old_nl", "on", "random_array", "simulate"]


def corpus(reference: str) -> Any:
    """A kernel of the corpus by `module::name`."""
    module, _, name = reference.partition("::")
    kernel, space = load_kernel(f"kernels/{module}.py::{name}", resources.root())
    assert space is not None
    return kernel


def simulate(kernel: Any, *args: Any, **kwargs: Any) -> Any:
    """What `nki.simulate` gives, for either API."""
    return nki.simulate(kernel)(*args, **kwargs)


def on(monkeypatch: pytest.MonkeyPatch, hardware: str) -> None:
    """Simulate for this hardware."""
    monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", hardware)


def random_array(seed: int, *shape: int, dtype: Any = np.float32) -> Array:
    """Numbers between -1 and 1, or integers of the dtype."""
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    return random.uniform(-1, 1, shape).astype(dtype)


def close(got: Array, expected: Array, roundings: int, roundoff: float) -> None:
    """Assert that results differ by no more than so many roundings of the greatest magnitude that occurs."""
    assert got.shape == expected.shape
    limit = roundings * roundoff * max(1.0, float(np.abs(expected).max()))
    worst = float(np.abs(got.astype(np.float64) - expected.astype(np.float64)).max())
    assert worst <= limit, (worst, limit)
