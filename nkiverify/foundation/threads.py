"""The threads of libraries of linear algebra."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController

#: Packages that bring such a library with them.
_PACKAGES = frozenset({"numpy", "scipy", "torch"})


def one_thread() -> AbstractContextManager[object]:
    """A block in which they compute in one thread: sums are added in the same order on every machine."""
    limiting: AbstractContextManager[object] = _libraries(_PACKAGES.intersection(sys.modules)).limit(limits=1)
    return limiting


@cache
def _libraries(packages: frozenset[str]) -> ThreadpoolController:
    """The libraries that are loaded once these packages are: to find them, all that the process has loaded is read,
    which takes a fifth of a small simulation."""
    return ThreadpoolController()
