"""The functions of a loaded module, given the code of another text of it: what a fault does without a new process.

A process that has loaded everything, and then forks for each fault, tries a fault in a fraction of the time that
Python takes to start.
"""

from __future__ import annotations

import ast
import functools
import gc
import sys
from collections.abc import Callable, Iterator
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType

from lab.faults import MARK


class Loaded:
    """A module of this process, by the path of its file."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self._code = self._compiled()
        # The suite freezes what it has loaded, and nothing that is frozen is told of.
        gc.unfreeze()
        self._functions = [
            (_key(function.__code__), function)
            for function in gc.get_objects()
            if isinstance(function, FunctionType) and function.__code__.co_filename == self.path
        ]

    def runs_at_import(self) -> bool:
        """True if the tree, as it is now, differs in what runs when the module is imported."""
        return _at_import(self._code) != _at_import(self._compiled())

    def take(self) -> None:
        """Give every function of the module the code that the tree has now."""
        codes = {_key(code): code for code in _all_codes(self._compiled())}
        for key, function in self._functions:
            code = codes.get(key)
            if code is not None and len(code.co_freevars) == len(function.__code__.co_freevars):
                function.__code__ = code
        self._forget()

    def mark(self, reached: Callable[[int], object]) -> None:
        """Have marked functions tell `reached` the lines of their statements."""
        for _, function in self._functions:
            function.__globals__[MARK] = reached

    def _compiled(self) -> CodeType:
        return compile(self.tree, self.path, "exec", dont_inherit=True)

    def _forget(self) -> None:
        # What the functions said before, as tests were collected.
        name = next((name for name, module in sys.modules.items() if getattr(module, "__file__", "") == self.path), "")
        for held in gc.get_objects():
            if isinstance(held, functools._lru_cache_wrapper) and getattr(held, "__module__", "") == name:
                held.cache_clear()


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_name, code.co_firstlineno


def _all_codes(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _all_codes(part)


def _at_import(code: CodeType) -> list[object]:
    """The code of the bodies of the module and of its classes, without the functions that they define."""
    own: list[object] = [code.co_code, code.co_names]
    for part in code.co_consts:
        if not isinstance(part, CodeType):
            own.append((type(part), part))
        elif not part.co_flags & CO_OPTIMIZED:
            own.append(_at_import(part))
    return own
