"""The legacy NKI API (`neuronxcc.nki.*`), as a model: signatures as documented, meaning in `nkiverify.model`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkiverify.model import contract_tables as _contract_tables  # noqa: F401 (registers the contracts)
from nkiverify.model import ops as _ops  # noqa: F401 (declares the operations)
from nkiverify.model.launch import jit_kernel, simulate_by
from nkiverify.model.legacy_tensor import LegacyTensor as tensor
from nkiverify.model.legacy_tensor import legacy_view

from . import compiler, isa, language, typing

__all__ = [
    "baremetal",
    "benchmark",
    "compiler",
    "isa",
    "jit",
    "language",
    "profile",
    "simulate_kernel",
    "tensor",
    "typing",
]


def jit(func: Callable[..., Any] | None = None, mode: str = "auto", **kwargs: Any) -> Any:
    """A kernel made of `func`; with keyword arguments only, a decorator that makes one."""
    options = {"mode": mode, **kwargs}
    if func is None:
        return lambda function: jit_kernel(function, legacy=True, options=options, argument_view=legacy_view)
    return jit_kernel(func, legacy=True, options=options, argument_view=legacy_view)


def baremetal(kernel: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Runs on hardware; the kernel it decorates is the same."""
    return jit(kernel, mode="baremetal")


def benchmark(kernel: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Runs on hardware; the kernel it decorates is the same."""
    return jit(kernel, mode="benchmark")


def profile(func: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Runs on hardware; the kernel it decorates is the same."""
    return jit(func, mode="profile")


def simulate_kernel(kernel: Any, *args: Any, **kwargs: Any) -> Any:
    """Run the kernel on NumPy arrays; arrays it returns are new, those it writes are updated."""
    # Imported late: verifying a kernel needs no arithmetic.
    from nkiverify.analysis.values.simulator import simulator_of

    return simulator_of(kernel, jit)(*args, **kwargs)


def _simulate(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    # Imported late: verifying a kernel needs no arithmetic.
    from nkiverify.analysis.values.simulator import simulate

    return simulate(kernel, args, kwargs)


simulate_by(_simulate)
