"""Direct allocation and compiler options of the legacy API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nkiverify.model.directives import KeptOrder as _KeptOrder

from . import psum, sbuf

__all__ = [
    "allocation_scope",
    "enable_stack_allocator",
    "force_auto_alloc",
    "multi_buffer",
    "no_reorder",
    "psum",
    "sbuf",
    "skip_middle_end_transformations",
]


def _option(func: Callable[..., Any] | None) -> Any:
    """A decorator that sets a compiler option changes nothing about the kernel."""
    return (lambda function: function) if func is None else func


def enable_stack_allocator(func: Callable[..., Any] | None = None, log_level: int = 50) -> Any:
    """Place tensors by a stack."""
    return _option(func)


def force_auto_alloc(func: Callable[..., Any] | None = None) -> Any:
    """Ignore manual placement."""
    return _option(func)


def skip_middle_end_transformations(func: Callable[..., Any] | None = None) -> Any:
    """Skip compiler passes."""
    return _option(func)


@contextmanager
def allocation_scope() -> Iterator[None]:
    """Listed without a description."""
    yield


@contextmanager
def multi_buffer(factor: int = 2) -> Iterator[None]:
    """Listed without a description."""
    yield


def no_reorder() -> _KeptOrder:
    """Instructions inside keep their order: nothing to check."""
    return _KeptOrder()
