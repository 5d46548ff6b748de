"""The contents of a kernel file: its kernels, their parameters and preconditions, read from the text without running
it."""

from __future__ import annotations

import ast
import codecs
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from types import FunctionType
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.kernel_text import harmless
from nkiverify.frontend.kernel_files import STUB_PACKAGES
from nkiverify.frontend.trees import parse
from nkiverify.project.scope import last_name

#: Folders in which no kernels of the user's own are searched for.
SKIPPED_FOLDERS = frozenset(
    {"__pycache__", "node_modules", "site-packages", "build", "dist", "venv", "env", "third_party", "vendor"}
)
#: Decorators of NKI that make kernels; `nki_jit` is what some modules call their own.
_MAKERS = frozenset({"jit", "nki_jit", "baremetal", "benchmark", "profile", "trace"})


@dataclass(frozen=True, slots=True)
class TopLevelCheck:
    """A statement at the top of a kernel, before any loop, that checks the arguments: an assert or a call of a helper.

    `first` and `last` are its lines.
    """

    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """A function that `check` can be pointed at.

    `required` are the parameters without a default; `kind` says what it is where it is no decorated kernel.
    """

    name: str
    line: int
    parameters: str
    required: tuple[str, ...]
    kind: str
    preconditions: tuple[TopLevelCheck, ...]


def mentions_nki(file: Path) -> bool:
    """True if the text of a file may be about NKI, as that of one is that cannot be read."""
    # A pipe, or a link to a device, has no end.
    if not file.is_file():
        return False
    try:
        text = file.read_bytes()
    except OSError:
        return True
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # Which Python does not read.
        text = text.replace(b"\0", b"")
    return b"nki" in text


def kernels_in(file: Path) -> list[Found]:
    """The kernels of a file, in the order they are written: the functions that `nki.jit` or one of its kin makes a
    kernel of, and other functions at the top level that have parameters and use NKI.

    Raises `UsageError` where the file cannot be read or is no Python.
    """
    tree = parse(file)
    nki = _names_of_nki(tree)
    wrapped = {name for node in tree.body for name in _wrapped_functions(node, nki)}
    found = []
    factories: dict[str, ast.FunctionDef] = {}
    for node, name in _functions(tree.body):
        decorated = node.name in wrapped or any(_makes_kernel(part, nki) for part in node.decorator_list)
        made = _made_by(node, nki)
        if decorated:
            found.append(_found(name, node, ""))
        elif made is not None and name == node.name:
            factories[name] = made
            parameters = ast.unparse(_without_annotations(node.args))
            example = f"makes the kernel {made.name}: check it as {name}(…), with literals for ({parameters})"
            found.append(_found(f"{name}(…)", made, example))
        elif name == node.name and _takes_arguments(node) and _uses(node, nki):
            found.append(_found(name, node, "a function that uses NKI, not decorated"))
    for name, call, line in _assigned_calls(tree):
        factory = factories.get(last_name(call.func))
        if factory is not None:
            found.append(replace(_found(name, factory, f"made by {ast.unparse(call)}"), line=line))
    return sorted(found, key=lambda kernel: kernel.line)


def reference_for(file: Path, kernel: str) -> str:
    """The function of a kernel's file that says what it computes, by its name: `softmax_reference`, `ref_softmax`, or
    the only one that says it is a reference where there is one kernel; empty where none does, or several do."""
    tree = parse(file)
    kernels = {one.name for one in kernels_in(file)}
    own = kernel.partition("[")[0]
    found = []
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name in kernels or node.name.startswith("test"):
            continue
        words = set(node.name.lower().strip("_").split("_"))
        stem = {word for word in own.lower().split("_") if word not in _OF_KERNELS}
        if not words.isdisjoint(_OF_REFERENCES) and (stem <= words or len(kernels) == 1):
            found.append(node.name)
    return found[0] if len(found) == 1 else ""


#: Words in the names of functions that say what a kernel computes, and such in the names of kernels that say nothing.
_OF_REFERENCES = frozenset(("ref", "reference", "golden", "expected", "oracle", "numpy", "np", "torch", "cpu"))
_OF_KERNELS = frozenset(("kernel", "nki", "jit"))


def kernel_files(folder: Path, excluded: Sequence[str] = ()) -> Iterator[Path]:
    """The Python files below `folder` that mention NKI, but for hidden, generated and installed ones. Raises
    `UsageError` where a kernel in one could not be named."""
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in SKIPPED_FOLDERS
            and not (here / name / "pyvenv.cfg").is_file()
            and not _excluded(here / name, folder, excluded)
        )
        for name in sorted(files):
            file = here / name
            if name.endswith(".py") and not _excluded(file, folder, excluded) and mentions_nki(file):
                yield _nameable(file)


def with_its_kernel(path: str, exclude: Sequence[str] = ()) -> str:
    """The kernel of a file that has one; the text itself where it names a kernel, or there is not one alone."""
    if "::" in path:
        return path
    found = references_of([path], exclude)
    return found[0] if len(found) == 1 else path


def the_kernel(path: str) -> str:
    """The kernel that a path names, or the one that a file has. Raises `UsageError`, which names those of a file that
    has several."""
    found = with_its_kernel(path)
    if "::" not in found:
        names = [reference.rpartition("::")[2] for reference in references_of([path])]
        has = f"{path} has {', '.join(names)}" if names else f"no kernel was found in {path}"
        raise UsageError(f"a kernel is written path/to/file.py::function; {has}")
    return found


def references_of(
    paths: Sequence[str], excluded: Sequence[str] = (), left_out: dict[str, str] | None = None
) -> list[str]:
    """The kernels that `paths` name, as `PATH::NAME`: each a kernel, a file or a folder, of which files may be
    excluded. The files of a folder that cannot be read, or are no Python, are `left_out`, with the reason.

    Raises `UsageError` where there is no such file, or nothing but one that cannot be read.
    """
    found: list[str] = []
    unreadable: dict[Path, str] = {}
    for path in paths:
        if "::" in path:
            existing(path.partition("::")[0])
            found.append(path)
            continue
        files = {file: as_typed(file, path) for file in files_of(path, excluded)}
        for file, kernels in kernels_to_check(list(files), unreadable).items():
            found += [f"{files[file]}::{kernel.name}" for kernel in kernels]
        if left_out is not None:
            left_out |= {files[file]: why for file, why in unreadable.items() if file in files}
    return list(dict.fromkeys(found))


def files_of(path: str, excluded: Sequence[str]) -> list[Path]:
    """The files that `path` names: itself, or those below it."""
    name = path.partition("::")[0]
    return list(kernel_files(Path(name), excluded)) if Path(name).is_dir() else [existing(name)]


def as_typed(file: Path, path: str) -> str:
    """`file` as the user would type it, who typed `path`."""
    return path if not Path(path).is_dir() else file.as_posix()


def existing(path: str) -> Path:
    """The file at `path`. Raises `UsageError` where there is none, or it is not Python by its name."""
    file = Path(path)
    if file.is_dir():
        raise UsageError(f"{path} is a folder: name a file of it before ::")
    if not file.is_file():
        raise UsageError(f"no file {path}")
    if file.suffix != ".py":
        raise UsageError(f"{path} is no Python file")
    return _nameable(file).resolve()


def _nameable(file: Path) -> Path:
    """`file`, if its kernels can be named, and named in a line of a report."""
    name = str(file)
    if "::" in name:
        raise UsageError(f"{name}: kernels are named PATH::KERNEL, so no path has :: in it: give the file another name")
    if harmless(name) != name or "\n" in name:
        raise UsageError(
            f"{name}: a path with control characters cannot be told to anybody: give the file another name"
        )
    return file


def kernels_to_check(files: Sequence[Path], unreadable: dict[Path, str] | None = None) -> dict[Path, list[Found]]:
    """The kernels of `files`: the decorated ones, and functions that use NKI and nobody in `files` calls.

    Functions that a factory makes need its arguments: they are not among them. Raises `UsageError` where a single file
    cannot be read; of several, such are `unreadable`, with the reason.
    """
    trees: dict[Path, ast.Module] = {}
    found: dict[Path, list[Found]] = {}
    for file in files:
        try:
            trees[file] = parse(file)
            found[file] = kernels_in(file)
        except UsageError as error:
            if len(files) == 1:
                raise
            if unreadable is not None:
                unreadable[file] = str(error)
    called = {name for tree in trees.values() for name in _called(tree)}
    return {file: [one for one in kernels if _is_kernel(one, called)] for file, kernels in found.items()}


def _is_kernel(found: Found, called: set[str]) -> bool:
    if "(" in found.name:
        return False
    undecorated = found.kind.startswith("a function")
    return not undecorated or (found.name not in called and not found.name.startswith(("_", "test_")))


def _called(tree: ast.Module) -> Iterator[str]:
    """The names of the functions that a file calls, or hands on."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for part in (node.func, *node.args, *(one.value for one in node.keywords)):
                if isinstance(part, ast.Name):
                    yield part.id
                elif isinstance(part, ast.Attribute):
                    yield part.attr


def _excluded(path: Path, folder: Path, patterns: Iterable[str]) -> bool:
    shown = path.relative_to(folder).as_posix()
    return any(fnmatch(shown, pattern) or fnmatch(path.name, pattern) for pattern in patterns)


def _found(name: str, node: ast.FunctionDef, kind: str) -> Found:
    arguments = _without_annotations(node.args)
    positional = [*arguments.posonlyargs, *arguments.args]
    required = [argument.arg for argument in positional[: len(positional) - len(arguments.defaults)]]
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    required += [argument.arg for argument, default in by_name if default is None]
    return Found(name, node.lineno, ast.unparse(arguments), tuple(required), kind, tuple(preconditions(node)))


def _made_by(node: ast.FunctionDef, nki: set[str]) -> ast.FunctionDef | None:
    """The decorated function that `node` defines in itself, if it does."""
    inner = (part for part in ast.walk(node) if isinstance(part, ast.FunctionDef) and part is not node)
    return next((part for part in inner if any(_makes_kernel(one, nki) for one in part.decorator_list)), None)


def _assigned_calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call, int]]:
    """Statements `name = factory(…)` at the top level."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value, node.lineno


def function_at(file: Path, line: int) -> ast.FunctionDef | None:
    """The function whose `def`, or first decorator, is at this line of `file`."""
    for node in ast.walk(parse(file)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
            if first <= line <= node.lineno:
                return node
    return None


def preconditions(function: ast.FunctionDef) -> Iterator[TopLevelCheck]:
    """The preconditions that a kernel states: see `TopLevelCheck`."""
    for statement in function.body:
        if any(isinstance(part, ast.For | ast.While) for part in _own_parts(statement)):
            return
        if isinstance(statement, ast.Assert) or _calls_a_check(statement):
            text = ast.unparse(statement.test) if isinstance(statement, ast.Assert) else ast.unparse(statement)
            yield TopLevelCheck(statement.lineno, statement.end_lineno or statement.lineno, text)


def _own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """`statement` and what is in it, but for the bodies of functions and classes."""
    pending: list[ast.AST] = [statement]
    while pending:
        part = pending.pop()
        yield part
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(part))


def _calls_a_check(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    name = last_name(statement.value.func).lower()
    return any(word in name for word in ("assert", "check", "validate", "require"))


def _functions(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[ast.FunctionDef, str]]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node, f"{owner}{node.name}"
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{owner}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _functions(node.body, owner)


def _names_of_nki(tree: ast.Module) -> set[str]:
    """Names that imports of NKI bind."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in STUB_PACKAGES:
                    names.add(alias.asname or alias.name.partition(".")[0])
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in STUB_PACKAGES:
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def _makes_kernel(decorator: ast.expr, nki: set[str]) -> bool:
    call = decorator.func if isinstance(decorator, ast.Call) else decorator
    if last_name(call) == "partial" and isinstance(decorator, ast.Call) and decorator.args:
        return _makes_kernel(decorator.args[0], nki)
    first = call
    while isinstance(first, ast.Attribute):
        first = first.value
    return last_name(call) in _MAKERS and isinstance(first, ast.Name) and (first.id in nki or first.id == "nki_jit")


def _wrapped_functions(node: ast.stmt, nki: set[str]) -> Iterator[str]:
    """Functions that a statement `kernel = nki.jit(function)` makes kernels of."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _makes_kernel(node.value, nki):
        yield from (argument.id for argument in node.value.args if isinstance(argument, ast.Name))


def _takes_arguments(node: ast.FunctionDef) -> bool:
    return bool(node.args.posonlyargs or node.args.args or node.args.kwonlyargs)


def _uses(node: ast.FunctionDef, names: set[str]) -> bool:
    parts = (part for statement in node.body for part in ast.walk(statement))
    return any(isinstance(part, ast.Name) and part.id in names for part in parts)


def _without_annotations(arguments: ast.arguments) -> ast.arguments:
    for part in ast.walk(arguments):
        if isinstance(part, ast.arg):
            part.annotation = None
    return arguments


def returned_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of what a function returns, in the order of its last `return`; empty ones for what has no name. What it
    returns as another function of its module does has the names that it has there."""
    code = getattr(function, "__code__", None)
    node = None if code is None else function_at(Path(code.co_filename), code.co_firstlineno)
    if node is None:
        return ()
    returns = [part for statement in node.body for part in _own_parts(statement) if isinstance(part, ast.Return)]
    if not returns:
        return ()
    value = max(returns, key=lambda statement: statement.lineno).value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        called = getattr(function, "__globals__", {}).get(value.func.id)
        return returned_names(called) if isinstance(called, FunctionType) and called is not function else ("",)
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    return tuple(part.id if isinstance(part, ast.Name) else "" for part in parts)
