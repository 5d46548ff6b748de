"""Functions that are documented and not modelled: calls are refused by name, with the reason."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import unmodelled

__all__ = [
    "all_reduce",
    "atomic_rmw",
    "finfo",
    "gemm_grid",
    "gemm_stationary_grid",
    "random_seed",
]


@unmodelled("when its result is there is not documented")
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


@unmodelled("its places are known at run time only")
def atomic_rmw(dst: Any, value: Any, op: Any, *, mask: Any = None, **kwargs: Any) -> Any:
    """An atomic update in HBM."""


@unmodelled("its page says nothing of it")
def finfo(dtype: Any) -> Any:
    """Limits of a dtype."""


@unmodelled("its page says nothing of it")
def gemm_grid() -> Any:
    """Listed without a description."""


@unmodelled("its page says nothing of it")
def gemm_stationary_grid() -> Any:
    """Listed without a description."""


@unmodelled("its page does not say what a seed is")
def random_seed(seed: Any, *, mask: Any = None, **kwargs: Any) -> Any:
    """Seed the generator."""
