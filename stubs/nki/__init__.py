"""The current NKI API (`nki.*`), as a model: signatures as documented, meaning in `nkiverify.model`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkiverify.model import contract_tables as _contract_tables  # noqa: F401 (registers the contracts)
from nkiverify.model import ops as _ops  # noqa: F401 (declares the operations)
from nkiverify.model.launch import jit_kernel, simulate_by

from . import collectives, isa, language, typing

__all__ = ["collectives", "isa", "jit", "language", "simulate", "typing"]


def jit(fn: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """A kernel made of `fn`; with keyword arguments only, a decorator that makes one."""
    if fn is None:
        return lambda function: jit_kernel(function, legacy=False, options=kwargs)
    return jit_kernel(fn, legacy=False, options=kwargs)


def simulate(kernel: Any) -> Callable[..., Any]:
    """A function of NumPy arrays that runs the kernel on them; arrays that it writes are updated."""
    # Imported late: verifying a kernel needs no arithmetic.
    from nkiverify.analysis.values.simulator import simulator_of

    return simulator_of(kernel, jit)


def _simulate(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    # Imported late: verifying a kernel needs no arithmetic.
    from nkiverify.analysis.values.simulator import simulate

    return simulate(kernel, args, kwargs)


simulate_by(_simulate)
