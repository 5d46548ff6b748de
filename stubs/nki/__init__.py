"""The current NKI API (`nki.*`), as a model: signatures as documented, meaning in `nkiverify.model`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from nkiverify.errors import UsageError
from nkiverify.model import contract_tables as _contract_tables  # noqa: F401 (registers the contracts)
from nkiverify.model.launch import jit_kernel

from . import collectives, isa, language, typing

__all__ = ["collectives", "isa", "jit", "language", "simulate", "typing"]


def jit(fn: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """A kernel made of `fn`; with keyword arguments only, a decorator that makes one."""
    if fn is None:
        return lambda function: jit_kernel(function, legacy=False, options=kwargs)
    return jit_kernel(fn, legacy=False, options=kwargs)


def simulate(kernel: Any) -> NoReturn:
    """The simulator runs kernels on arrays of numbers; here tensors have none."""
    raise UsageError("nki.simulate is not available here: write a target for the kernel and verify it")
