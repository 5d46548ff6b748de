"""Executing the top level of a kernel module, past statements that cannot be executed here.

Kernel files hold more than kernels: tests at the top level that make arrays and launch kernels on them, data read from
files. Where such a statement raises, what it would have bound, and what it could have changed, is replaced by
placeholders, and the module goes on behind it: a kernel that uses one of them is UNKNOWN, any other is not concerned.
Imports and definitions must work, and a `raise` at the top level means what it says, as `sys.exit()` does: nobody can
import the file.
"""

from __future__ import annotations
import __future__

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from nkiverify.foundation.errors import UnsupportedConstruct, text_of
from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.frontend.guard import ImportRefused, pass_over, passed_over
from nkiverify.frontend.placeholders import LEGACY_JIT, Placeholder, PlaceholderModule
from nkiverify.model.launch import Kernel
from nkiverify.symbolic.execution import execution_in_progress

#: Statements that a module cannot do without.
_NEEDED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Raise)
#: What a statement that fails cannot have changed, but by attribute.
_UNCHANGING = (
    int, float, complex, str, bytes, type(None), type, ModuleType, BuiltinFunctionType, FunctionType, Kernel,
)  # fmt: skip

#: Packages whose objects, arrays excepted, only name things.
_NAMING_PACKAGES = ("nki", "neuronxcc", "nkiverify", "numpy", "typing", "logging")

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
                tree = ast.parse(file.read_bytes())
                rest = tree.body
            position = _failed(rest, error, namespace)
            if position is None:
                raise
            if isinstance(error, ImportRefused):
                pass_over(error)
            if isinstance(error, PermissionError):
                # Refused by the system: Python does not tell of everything.
                place = f"{file}:{rest[position].lineno}"
                passed_over.setdefault(place, f"{place}: importing it asks for what it may not: {text_of(error)}")
            statement, rest = rest[position], rest[position + 1 :]
            named = "" if isinstance(error, ImportRefused) else f"{type(error).__name__}: "
            reason = f"line {statement.lineno} could not compute: {named}{text_of(error)}"
            for name in _concerned(statement, tree, namespace):
                namespace[name] = Placeholder(name, reason)
            # Rewriting changes the tree in place, and what follows may have to be compiled again.
            module = copy.deepcopy(ast.Module(list(rest), []))
            code = compile_rest(module, code.co_flags & _FUTURE_FLAGS)


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
        first = min([statement.lineno, *(part.lineno for part in getattr(statement, "decorator_list", ()))])
        if line is not None and first <= line <= (statement.end_lineno or statement.lineno):
            raised = any(isinstance(part, _NEEDED) and part.lineno == line for part in _parts(statement))
            return None if raised or isinstance(statement, _NEEDED) else position
    return None


def _concerned(statement: ast.stmt, tree: ast.Module, namespace: dict[str, Any]) -> Iterator[str]:
    """The names at the top level whose value is unknown as `statement` failed."""
    every = [part for part in _parts(statement) if isinstance(part, ast.Name)]
    given = _given_to_placeholders(statement, namespace, {part.id for part in every if not _is_read(part)})
    names = {part.id: part.ctx for part in every if part not in given}
    changed = {
        part.value.id
        for part in _parts(statement)
        if isinstance(part, ast.Attribute | ast.Subscript)
        and isinstance(part.ctx, ast.Store | ast.Del)
        and isinstance(part.value, ast.Name)
    }
    bound = {name for name, context in names.items() if not isinstance(context, ast.Load)}
    bound |= {part.name for part in _parts(statement) if isinstance(part, ast.FunctionDef | ast.ClassDef)}
    bound |= {
        (alias.asname or alias.name).partition(".")[0]
        for part in _parts(statement)
        if isinstance(part, ast.Import | ast.ImportFrom)
        for alias in part.names
    }
    if any(_runs_kernel_code(namespace.get(name)) for name in names):
        # It may have changed anything that the module's functions can reach.
        bound |= {name for part in ast.walk(tree) if isinstance(part, ast.Global) for name in part.names}
        names.update(dict.fromkeys(namespace, ast.Load()))
    for name in sorted(bound | changed):
        yield name
    for name in sorted(set(names) - bound - changed):
        if name in namespace and not name.startswith("__") and not _unchanging(namespace[name]):
            yield name


def _given_to_placeholders(statement: ast.stmt, namespace: dict[str, Any], bound: set[str]) -> set[ast.expr]:
    """The arguments of calls of placeholders, which do nothing with what they are given."""
    calls = [part for part in _parts(statement) if isinstance(part, ast.Call)]
    absent = [call for call in calls if _is_placeholder(call.func, namespace, bound)]
    return {argument for call in absent for argument in (*call.args, *(each.value for each in call.keywords))}


def _is_placeholder(value: ast.expr, namespace: dict[str, Any], bound: set[str]) -> bool:
    """True if what is called is an attribute, an element or a result of a placeholder, which the names `bound` in the
    statement need not be."""
    while not isinstance(value, ast.Name):
        if isinstance(value, ast.Call):
            value = value.func
        elif isinstance(value, ast.Subscript) or (isinstance(value, ast.Attribute) and value.attr != LEGACY_JIT):
            value = value.value
        else:
            return False
    return value.id not in bound and type(namespace.get(value.id)) in (Placeholder, PlaceholderModule)


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _runs_kernel_code(value: object) -> bool:
    if type(value) is type:
        return KERNEL_MARKER in getattr(getattr(value, "__init__", None), "__globals__", {})
    return isinstance(value, FunctionType) and KERNEL_MARKER in value.__globals__


def _unchanging(value: object) -> bool:
    if type(value) is Placeholder or isinstance(value, _UNCHANGING):
        return True
    if isinstance(value, tuple | frozenset):
        return all(map(_unchanging, value))
    # What NKI and NumPy give to name things with.
    package = type(value).__module__.partition(".")[0]
    return package in _NAMING_PACKAGES and not hasattr(value, "__setitem__")


def _parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """`statement` and what is in it, but for the bodies of functions, which are not executed."""
    pending: list[ast.AST] = [statement]
    while pending:
        part = pending.pop()
        yield part
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(part))
