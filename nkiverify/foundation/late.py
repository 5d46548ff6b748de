"""NumPy, and the dtypes that it has with `ml_dtypes`, imported when something of them is first asked for.

A proof needs no array, and importing NumPy takes a quarter of a small check. For whoever reads it, and type checkers,
`from nkiverify.foundation.late import numpy as np` is `import numpy as np`. It is late only in a process that was
started to run kernels (`nkiverify.foundation.process`): in that of a test suite, NumPy is there anyway.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

from nkiverify.foundation import process

_LATE = process.for_kernels and "numpy" not in sys.modules

if TYPE_CHECKING or not _LATE:
    # With it NumPy knows the names of these dtypes: `array.astype(nl.float8_e5m2)`.
    import ml_dtypes as ml_dtypes
    import numpy as numpy


class _Late:
    """Stands for a library that is imported when an attribute of it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(importlib.import_module(self._name), attribute)
        # From now on Python finds it here.
        setattr(self, attribute, found)
        return found


class _WithDtypes:
    """Finds NumPy where Python does, and has `ml_dtypes` imported behind it, whoever asks for NumPy."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of NumPy; None for all else."""
        if name != "numpy":
            return None
        sys.meta_path.remove(self)
        found = PathFinder.find_spec(name, path, target)
        if found is not None and found.loader is not None:
            execute = found.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                importlib.import_module("ml_dtypes")

            found.loader.exec_module = exec_module  # type: ignore[method-assign]
        return found


class _OfNumpy(type):
    """Makes classes that stand for some of NumPy's in tests of instances and of classes. While NumPy is not imported no
    value is of one of them, and nothing is imported to find that out."""

    _find: Callable[[], tuple[type, ...]]

    def __instancecheck__(cls, value: object) -> bool:
        return "numpy" in sys.modules and isinstance(value, cls._find())

    def __subclasscheck__(cls, kind: type) -> bool:
        return "numpy" in sys.modules and issubclass(kind, cls._find())


def of_numpy(find: Callable[[], tuple[type, ...]]) -> tuple[Any, ...]:
    """The classes of NumPy that `find` gives, for tests of instances and of classes alone."""
    return (_OfNumpy("_OfNumpy", (), {"_find": staticmethod(find)}),) if _LATE else find()


def load() -> None:
    """Import NumPy now: where importing it later could be seen, or would find something else."""
    importlib.import_module("numpy")


if _LATE and not TYPE_CHECKING:
    numpy, ml_dtypes = _Late("numpy"), _Late("ml_dtypes")
    sys.meta_path.insert(0, _WithDtypes())
