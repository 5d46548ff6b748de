"""Executing the top level of a kernel module, past statements that cannot be executed here.

Kernel files hold more than kernels: tests at the top level that make arrays and launch kernels on them, data read from
files. Where such a statement raises, what it would have bound, and what it could have changed, is replaced by
placeholders, and the module continues behind it: a kernel that uses one of them is UNKNOWN, any other is not concerned
(where what it could have changed can be known: `frontend.reach`).
Imports and definitions must work, and a `raise` at the top level means what it says, as `sys.exit()` does: nobody can
import the file.
"""

from __future__ import annotations
import __future__

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

from nkiverify.foundation.errors import UnsupportedConstruct, text_of
from nkiverify.foundation.source import Site
from nkiverify.frontend import guard
from nkiverify.frontend.guard import ImportRefused, pass_over
from nkiverify.frontend.placeholders import Placeholder
from nkiverify.frontend.reach import make_unknown, passed_over, reached_by
from nkiverify.frontend.trees import source
from nkiverify.symbolic.execution import execution_in_progress

#: Statements that a module cannot do without.
_NEEDED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Raise)
_FUTURE_FLAGS = 0
for _feature in __future__.all_feature_names:
    _FUTURE_FLAGS |= getattr(__future__, _feature).compiler_flag


def execute(
    code: CodeType, file: Path, namespace: dict[str, Any], compile_rest: Callable[[ast.Module, int], CodeType]
) -> None:
    """Execute `code`, the compiled text of `file`, in `namespace`.

    `compile_rest` compiles the rest of the module, given its statements and the flags of its `__future__` imports.
    Raises what an import or a definition raises.
    """
    tree: ast.Module | None = None
    rest: list[ast.stmt] = []
    while True:
        try:
            exec(code, namespace)
            return
        except (Exception, UnsupportedConstruct, ImportRefused) as error:
            if isinstance(error, UnsupportedConstruct) and execution_in_progress() is not None:
                raise
            if tree is None:
                tree = ast.parse(source(file))
                rest = tree.body
            position = _failed(rest, error, namespace)
            if position is None:
                raise
            if isinstance(error, ImportRefused):
                pass_over(error)
            if isinstance(error, PermissionError):
                # Refused by the system: Python does not tell of everything.
                place = f"{file}:{rest[position].lineno}"
                guard.passed_over.setdefault(place, f"{place}: importing it asks for what it may not: {text_of(error)}")
            statement, rest = rest[position], rest[position + 1 :]
            passed_over(str(file), _lines(statement))
            _make_unknown(statement, error, file, namespace)
            # Rewriting changes the tree in place, and what follows may have to be compiled again.
            module = copy.deepcopy(ast.Module(list(rest), []))
            code = compile_rest(module, code.co_flags & _FUTURE_FLAGS)


def _make_unknown(statement: ast.stmt, error: BaseException, file: Path, namespace: dict[str, Any]) -> None:
    """Make the names unknown that `statement`, which raised `error`, binds or may have changed."""
    named = "" if isinstance(error, ImportRefused) else f"{type(error).__name__}: "
    reason = f"line {statement.lineno} could not compute: {named}{text_of(error)}"
    advice = getattr(error, "advice", "") or "keep it out of the file, or make it an argument"
    found = reached_by(statement, namespace)
    for name in _bound(statement):
        namespace[name] = Placeholder(name, reason)
    what = f"{file.name}:{statement.lineno} could not be executed ({named}{text_of(error)})"
    make_unknown(found, what, lambda name: Placeholder(name, reason), advice, Site(str(file), statement.lineno))


def _failed(statements: Sequence[ast.stmt], error: BaseException, namespace: dict[str, Any]) -> int | None:
    """The position of the statement that raised `error`, if the module can do without it."""
    line = None
    entry = error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_globals is namespace and entry.tb_frame.f_code.co_name == "<module>":
            line = entry.tb_lineno
            break
        entry = entry.tb_next
    for position, statement in enumerate(statements):
        if line is not None and line in _lines(statement):
            raised = any(isinstance(part, _NEEDED) and part.lineno == line for part in _parts(statement))
            return None if raised or isinstance(statement, _NEEDED) else position
    return None


def _lines(statement: ast.stmt) -> range:
    """The lines of a statement, its decorators included."""
    first = min([statement.lineno, *(part.lineno for part in getattr(statement, "decorator_list", ()))])
    return range(first, (statement.end_lineno or statement.lineno) + 1)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names at the top level that `statement` binds, or may bind."""
    for part in _parts(statement):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part.id
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield part.name
        elif isinstance(part, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in part.names)
        elif isinstance(part, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and part.name:
            yield part.name
        elif isinstance(part, ast.MatchMapping) and part.rest:
            yield part.rest


def _parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """`statement` and what is in it, but for the bodies of functions, which are not executed."""
    pending: list[ast.AST] = [statement]
    while pending:
        part = pending.pop()
        yield part
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(part))
