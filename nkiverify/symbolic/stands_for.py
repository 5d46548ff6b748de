"""Symbolic values say which built-in class they stand for."""

from __future__ import annotations

import sys

from nkiverify.foundation.source import KERNEL_MARKER


class StandsFor:
    """A value that stands for one of a built-in class, and says so to kernel code that asks for its class."""

    __slots__ = ()
    _stands_for: type = object

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        namespace = sys._getframe(1).f_globals
        asked_for_kernel = KERNEL_MARKER in namespace or namespace.get("__name__") == "functools"
        return self._stands_for if asked_for_kernel else type(self)
