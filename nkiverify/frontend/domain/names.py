"""The meaning of names in the arguments of a kernel."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any

from nkiverify.foundation.source import KERNEL_MARKER


def names_in_arguments(module: ModuleType, others: Iterable[ModuleType]) -> Mapping[str, Any]:
    """The names of the kernel's module; then the classes and functions that one of the kernel's `others` alone defines:
    what a caller imports to make an argument, the kernel itself often has no use for."""
    defined: dict[str, set[int]] = {}
    found: dict[str, Any] = {}
    for other in others:
        if KERNEL_MARKER not in vars(other):
            continue
        for name, value in vars(other).items():
            own = isinstance(value, type | FunctionType) and value.__module__ == other.__name__
            if own and not name.startswith("_"):
                found[name] = value
                defined.setdefault(name, set()).add(id(value))
    return ChainMap(vars(module), {name: value for name, value in found.items() if len(defined[name]) == 1})
