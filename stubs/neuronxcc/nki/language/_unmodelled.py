"""Functions that are documented and not modelled yet: calls are refused by name."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import unmodelled
from nkiverify.model.dtypes import float32

__all__ = [
    "all_reduce",
    "atomic_rmw",
    "dropout",
    "finfo",
    "gather_flattened",
    "gemm_grid",
    "gemm_stationary_grid",
    "rand",
    "random_seed",
    "rms_norm",
]


@unmodelled
def all_reduce(
    x: Any,
    op: Any,
    program_axes: Any,
    *,
    dtype: Any = None,
    mask: Any = None,
    parallel_reduce: Any = True,
    asynchronous: Any = False,
    **kwargs: Any,
) -> Any:
    """A reduction over the programs of a launch."""


@unmodelled
def atomic_rmw(dst: Any, value: Any, op: Any, *, mask: Any = None, **kwargs: Any) -> Any:
    """An atomic update in HBM."""


@unmodelled
def dropout(x: Any, rate: Any, *, dtype: Any = None, mask: Any = None, **kwargs: Any) -> Any:
    """Elements set to 0 at a rate."""


@unmodelled
def finfo(dtype: Any) -> Any:
    """Limits of a dtype."""


@unmodelled
def gather_flattened(data: Any, indices: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Elements of flattened free axes by index."""


@unmodelled
def gemm_grid() -> Any:
    """Listed without a description."""


@unmodelled
def gemm_stationary_grid() -> Any:
    """Listed without a description."""


@unmodelled
def rand(shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
    """Random numbers from 0 to 1."""


@unmodelled
def random_seed(seed: Any, *, mask: Any = None, **kwargs: Any) -> Any:
    """Seed the generator."""


@unmodelled
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
) -> Any:
    """x / RMS(x) * w."""
