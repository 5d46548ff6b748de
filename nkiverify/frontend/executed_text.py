"""`exec`, `eval`, `compile` and the functions that give namespaces, as the modules of kernels have them.

While a module is imported nothing is symbolic, and they do what Python's do; functions that the text defines are
rewritten as those of a file are. In a symbolic run they are refused: the names of a function are not all the kernel's
own there, and what a text changes nobody would see.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import copy
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from nkiverify.foundation.source import KERNEL_MARKER, identity, register_kernel_code
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.process_state import register_code
from nkiverify.frontend.refused import calls
from nkiverify.symbolic.execution import unsupported

_FUTURE_FLAGS = 0
for _feature in __future__.all_feature_names:
    _FUTURE_FLAGS |= getattr(__future__, _feature).compiler_flag

#: Those that are there for each module.
TEXT_FUNCTIONS = (builtins.exec, builtins.eval, builtins.compile, builtins.globals, builtins.locals, builtins.vars)

#: What the rewriter makes names of, which no program can contain.
_OWN = "@"
#: Code that was compiled here or from a file, by its identity.
_known: dict[int, CodeType] = {}


def know(code: CodeType) -> None:
    """Count `code`, and the functions in it, as code of kernels that is rewritten; its names are registered."""
    register_code(code)
    _known.update(register_kernel_code(code))


def text_functions(rewriting: Rewriting, file: Path) -> dict[str, Callable[..., Any]]:
    """These functions for the module of `file`, rewritten so."""
    functions = _TextFunctions(rewriting, file)
    made: dict[str, Callable[..., Any]] = {"exec": functions.exec, "eval": functions.eval, "compile": functions.compile}
    if rewriting is Rewriting.FULL:
        made.update({"globals": _globals, "locals": _locals, "vars": _vars, "dir": functions.dir})
    return made


def _globals() -> dict[str, Any]:
    calls("globals")
    return sys._getframe(1).f_globals


def _names(frame: FrameType) -> Mapping[str, Any]:
    """The local names of a frame: the namespace itself outside functions."""
    found = frame.f_locals
    if found is frame.f_globals or not any(name.startswith(_OWN) for name in found):
        return found
    return {name: value for name, value in found.items() if not name.startswith(_OWN)}


def _locals() -> Mapping[str, Any]:
    calls("locals")
    return _names(sys._getframe(1))


def _vars(*values: Any) -> Mapping[str, Any]:
    calls("vars")
    return builtins.vars(*values) if values else _names(sys._getframe(1))


class _TextFunctions:
    def __init__(self, rewriting: Rewriting, file: Path) -> None:
        self._rewriting = rewriting
        self._file = file

    def exec(self, source: Any, globals: Any = None, locals: Any = None, /, **options: Any) -> None:
        """`exec`."""
        self._check("exec")
        code, *names = self._prepared(source, globals, locals, "exec", sys._getframe(1))
        builtins.exec(code, *names, **options)

    def eval(self, source: Any, globals: Any = None, locals: Any = None, /) -> Any:
        """`eval`."""
        self._check("eval")
        return builtins.eval(*self._prepared(source, globals, locals, "eval", sys._getframe(1)))

    def compile(
        self, source: Any, filename: Any, mode: str, flags: int = 0, dont_inherit: Any = False, *more: Any, **named: Any
    ) -> Any:
        """`compile`: code of what is rewritten as this module is."""
        self._check("compile")
        flags |= 0 if dont_inherit else sys._getframe(1).f_code.co_flags & _FUTURE_FLAGS
        made = builtins.compile(source, filename, mode, flags, True, *more, **named)
        if isinstance(made, CodeType):
            if self._rewriting is not Rewriting.NONE:
                made = builtins.compile(self._rewritten(source, mode), filename, mode, flags, True, *more, **named)
            know(made)
        return made

    def dir(self, *values: Any) -> list[str]:
        """`dir`."""
        if values:
            from nkiverify.frontend.attributes import sym_dir

            return sym_dir(*values)
        self._check("dir")
        return sorted(_names(sys._getframe(1)))

    def _check(self, name: str) -> None:
        if self._rewriting is Rewriting.FULL:
            calls(name)

    def _rewritten(self, source: Any, mode: str) -> Any:
        if isinstance(source, ast.AST):
            tree: Any = copy.deepcopy(source)
            return self._rewriting.apply(tree, self._file, "")
        text = bytes(source) if not isinstance(source, str) else source
        if mode == "eval":
            text = text.lstrip(" \t" if isinstance(text, str) else b" \t")  # type: ignore[arg-type]
        shown = text if isinstance(text, str) else text.decode("utf-8", "replace")
        tree = ast.parse(text, mode=mode)
        return self._rewriting.apply(tree, self._file, shown)

    def _prepared(self, source: Any, globals: Any, locals: Any, mode: str, frame: FrameType) -> tuple[Any, Any, Any]:
        """The code, and the namespaces it is executed in, for a call in `frame`."""
        if globals is None:
            globals, locals = frame.f_globals, _names(frame) if locals is None else locals
        elif locals is None:
            locals = globals
        code = source
        if not isinstance(source, CodeType):
            flags = frame.f_code.co_flags & _FUTURE_FLAGS
            if isinstance(source, str):
                source = source.lstrip(" \t") if mode == "eval" else source
            code = self.compile(source, "<string>", mode, flags, True)
        elif identity(source) not in _known and self._rewriting is not Rewriting.NONE:
            raise unsupported("code that something else has compiled", "execute the text itself")
        if type(globals) is dict:
            globals.setdefault("__builtins__", frame.f_builtins)
            if any(isinstance(constant, CodeType) for constant in code.co_consts):
                # Its functions are the kernel's.
                globals.setdefault(KERNEL_MARKER, str(self._file))
        return code, globals, locals
