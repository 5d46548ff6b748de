"""Would the compiler take it: what kernel code uses outside the Python that NKI documents (reference section d).

A kernel is Python only by its syntax: NKI's compiler evaluates a subset of the language. The verifier runs all of
Python, as NKI's simulator does, so what lies outside of the subset is a warning of its own, with its place.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.frontend.source_names import child_nodes, walk
from nkiverify.frontend.trees import parse
from nkiverify.model.launch import Kernel

#: What the rules say, by id.
LANGUAGE_RULES = {
    "lang.classes": "Classes must derive from NKIObject, and from nothing else.",
    "lang.containers": "The keys of a dictionary must be strings.",
    "lang.deprecated": "Deprecated names of nki.language must not be used.",
    "lang.int32": "Integers must fit in 32 bits.",
    "lang.no_is": "`is` must not be used: it is no part of the language.",
    "lang.no_kwonly": "A kernel must not have keyword-only parameters.",
    "lang.no_legacy_ns": "Kernels must import nki, not neuronxcc.nki.",
    "lang.star_arguments": "Signatures must not have * and ** parameters.",
    "lang.unmentioned": "Statements, expressions and names of nki.language must be those the documentation mentions.",
}

#: The versions of NKI that rules hold from on; the others hold in all.
_SINCE = {"lang.no_is": "0.3", "lang.no_kwonly": "0.3", "lang.no_legacy_ns": "0.4"}

_INT32 = 2**31

#: Names of nki.language that are deprecated, with the version that deprecates them and what to write instead.
_DEPRECATED = {
    "affine_range": ("0.2", "range"),
    "sequential_range": ("0.2", "range"),
    "static_range": ("0.2", "range"),
    "dynamic_range": ("0.6", "nl.fori_loop"),
    "psum_fmax": ("0.4", "psum_bank_fmax"),
    "total_available_sbuf_size": ("0.4", "sbuf_size_bytes"),
}

#: Names of nki.language that no page mentions and published kernels use, with what to write instead.
_UNMENTIONED_NAMES = {"range": "range"}

#: Statements and expressions that the documentation does not mention.
_UNMENTIONED: dict[type[ast.AST], str] = {
    ast.Try: "try",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Delete: "del",
    ast.AsyncFor: "async",
    ast.AsyncWith: "async",
    ast.AsyncFunctionDef: "async",
    ast.Await: "await",
    ast.NamedExpr: ":=",
    ast.Match: "match",
}


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One use of something outside the documented language. Columns count from 0."""

    file: str
    line: int
    column: int
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class _Code:
    """A function or class of kernel code: its text, and what the names in it mean."""

    file: str
    node: ast.FunctionDef | ast.ClassDef
    names: Mapping[str, Any]
    defined: Any
    entry: bool
    #: The nodes of its tree, but for the methods of a class, which are pieces of their own.
    own: tuple[Any, ...]


def findings(kernel: object) -> list[Finding]:
    """The findings where `kernel` and the kernel code it reaches are outside the documented language, in the order of
    the files."""
    found: set[Finding] = set()
    for code in _reached(kernel):
        legacy = _legacy_import(code)
        if legacy is not None:
            found.add(legacy)
            continue
        for check in _CHECKS:
            for node, rule, message in check(code):
                found.add(Finding(code.file, node.lineno, node.col_offset, rule, message))
    return sorted(found)


def since(finding: Finding) -> str:
    """The version of NKI that a finding is one from on."""
    if finding.rule == "lang.deprecated":
        return _DEPRECATED[finding.message.partition(" ")[0]][0]
    return _SINCE.get(finding.rule, "")


def in_short(places: Sequence[Finding], arrow: str) -> str:
    """The findings of one rule in a few words: each deprecated name once, or the first message and how many more."""
    if places[0].rule == "lang.deprecated":
        names = sorted({one.message.partition(" ")[0] for one in places})
        instead = ", ".join(f"{name} {arrow} {_DEPRECATED[name][1]}" for name in names)
        return f"{len(names)} deprecated name{'s' if len(names) > 1 else ''} ({instead})"
    return places[0].message + (f" (+ {len(places) - 1} more)" if len(places) > 1 else "")


def rule_text(rule: str) -> str:
    """The text of a rule of the language: since which version it holds, and the names that it is about."""
    versions = f" From NKI {_SINCE[rule]} on." if rule in _SINCE else ""
    names = ""
    if rule == "lang.deprecated":
        reported = (f"{name} (since NKI {since}): write {instead}" for name, (since, instead) in _DEPRECATED.items())
        names = f" {'; '.join(reported)}."
    return f"{LANGUAGE_RULES[rule]}{versions}{names}"


# --- what a kernel reaches --------------------------------------------------------------------------------------------


def _reached(kernel: object) -> Iterator[_Code]:
    pending = [kernel]
    seen: set[int] = set()
    entry = True
    while pending:
        value = _unwrapped(pending.pop())
        if id(value) in seen:
            continue
        seen.add(id(value))
        code = _code_of(value, entry)
        if code is None:
            continue
        entry = False
        yield code
        pending.extend(_mentioned(code))
        if isinstance(value, type):
            pending.extend(value.__bases__)
            pending.extend(_members(value))


def _unwrapped(value: object) -> object:
    while True:
        if isinstance(value, Kernel):
            value = value.function
        elif isinstance(value, functools.partial):
            value = value.func
        elif isinstance(value, staticmethod | classmethod):
            value = value.__func__
        elif isinstance(value, FunctionType):
            return inspect.unwrap(value, stop=lambda function: isinstance(function, Kernel))
        else:
            return value


def _members(owner: type) -> Iterator[object]:
    for value in vars(owner).values():
        if isinstance(value, property):
            yield from filter(None, (value.fget, value.fset))
        else:
            yield value


def _code_of(value: object, entry: bool) -> _Code | None:
    """The text of a function or class of kernel code; None for anything else, and for what a decorator made up."""
    if isinstance(value, FunctionType) and KERNEL_MARKER in value.__globals__:
        node = _definitions(value.__code__.co_filename).get(value.__code__.co_firstlineno)
        if isinstance(node, ast.FunctionDef):
            cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=False)
            closure = {name: cell.cell_contents for name, cell in cells if _is_filled(cell)}
            return _Code(value.__code__.co_filename, node, {**value.__globals__, **closure}, value, entry, _own(node))
    if isinstance(value, type):
        functions = [part for part in map(_unwrapped, _members(value)) if isinstance(part, FunctionType)]
        own = [part for part in functions if part.__module__ == value.__module__ and KERNEL_MARKER in part.__globals__]
        for function in own:
            for node in _definitions(function.__code__.co_filename).values():
                if isinstance(node, ast.ClassDef) and node.name == value.__name__:
                    return _Code(function.__code__.co_filename, node, function.__globals__, value, False, _own(node))
    return None


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


@functools.lru_cache(maxsize=256)
def _parsed(file: str) -> ast.Module:
    return parse(Path(file))


@functools.lru_cache(maxsize=256)
def _definitions(file: str) -> dict[int, ast.FunctionDef | ast.ClassDef]:
    """Functions and classes of a file by their first line, that of a decorator if there is one."""
    if not Path(file).is_file():
        return {}
    return {
        min([node.lineno, *(part.lineno for part in node.decorator_list)]): node
        for node in walk(_parsed(file))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def _mentioned(code: _Code) -> Iterator[object]:
    """The meaning of names and dotted names in a piece of code, as far as they are bound at the module's top."""
    meant = (_meaning(node, code.names) for node in walk(code.node) if isinstance(node, ast.Name | ast.Attribute))
    yield from {id(one): one for one in meant}.values()


def _meaning(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The object that a dotted name through modules and classes means; None where it is something else."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _meaning(node.value, names)
        return vars(owner).get(node.attr) if isinstance(owner, ModuleType | type) else None
    return None


# --- checks -----------------------------------------------------------------------------------------------------------

_Uses = Iterator[tuple[Any, str, str]]


def _identity(code: _Code) -> _Uses:
    for node in code.own:
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            yield node, "lang.no_is", "`is` is no part of NKI since 0.3: compare with == or !="


def _signature(code: _Code) -> _Uses:
    if not isinstance(code.node, ast.FunctionDef):
        return
    arguments = code.node.args
    if code.entry and arguments.kwonlyargs:
        yield arguments.kwonlyargs[0], "lang.no_kwonly", "a kernel has no keyword-only parameters since NKI 0.3"
    for star, argument in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if argument is not None:
            text = f"`{star}{argument.arg}` in a signature is not mentioned by the documentation"
            yield argument, "lang.star_arguments", text


def _dictionaries(code: _Code) -> _Uses:
    for node in code.own:
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if isinstance(key, ast.Constant) and not isinstance(key.value, str):
                    yield key, "lang.containers", f"the keys of a dictionary are strings, not {key.value!r}"


def _classes(code: _Code) -> _Uses:
    if not isinstance(code.node, ast.ClassDef):
        return
    names = [base.__name__ for base in code.defined.__mro__]
    if issubclass(code.defined, enum.Enum):
        return
    if "NKIObject" not in names:
        yield code.node, "lang.classes", f"class {code.node.name} does not derive from NKIObject"
    elif len(code.defined.__bases__) > 1:
        yield code.node, "lang.classes", f"class {code.node.name} derives from more than NKIObject"


def _integers(code: _Code) -> _Uses:
    negated = {id(node.operand) for node in code.own if isinstance(node, ast.UnaryOp)}
    for node in code.own:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            largest = _INT32 if id(node) in negated else _INT32 - 1
            if node.value > largest:
                yield node, "lang.int32", f"NKI's integers have 32 bits, and {node.value} does not fit"


def _names(code: _Code) -> _Uses:
    for node in code.own:
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if name in _DEPRECATED and _of_nki(node, code.names):
            since, instead = _DEPRECATED[name]
            yield node, "lang.deprecated", f"{name} is deprecated since NKI {since}: write {instead}"
        elif name in _UNMENTIONED_NAMES and _of_nki(node, code.names):
            text = f"nki.language.{name} is not mentioned by the documentation: write {_UNMENTIONED_NAMES[name]}"
            yield node, "lang.unmentioned", text


def _of_nki(node: ast.expr, names: Mapping[str, Any]) -> bool:
    if isinstance(node, ast.Name):
        return getattr(names.get(node.id), "__module__", "") == "nki.language"
    assert isinstance(node, ast.Attribute)
    if isinstance(node.value, ast.Attribute) and node.value.attr == "tile_size":
        return True
    owner = _meaning(node.value, names)
    return getattr(owner, "__name__", "") == "nki.language" or type(owner).__name__ == "TileSize"


def _unmentioned(code: _Code) -> _Uses:
    for node in code.own:
        if type(node) in _UNMENTIONED:
            what = _UNMENTIONED[type(node)]
            yield node, "lang.unmentioned", f"`{what}` is not mentioned by the documentation"
        elif isinstance(node, ast.With):
            for item in node.items:
                call = item.context_expr
                name = call.func if isinstance(call, ast.Call) else call
                if not (isinstance(name, ast.Attribute | ast.Name) and ast.unparse(name).endswith("no_reorder")):
                    text = "`with` is mentioned by the documentation for nl.no_reorder() only"
                    yield node, "lang.unmentioned", text


_CHECKS: tuple[Callable[[_Code], _Uses], ...] = (
    _identity,
    _signature,
    _dictionaries,
    _classes,
    _integers,
    _names,
    _unmentioned,
)


def _own(node: ast.AST) -> tuple[Any, ...]:
    found = [node]
    for part in found:
        children = child_nodes(part)
        if isinstance(part, ast.ClassDef):
            children = [child for child in children if not isinstance(child, ast.FunctionDef)]
        found.extend(children)
    return tuple(found)


def _legacy_import(code: _Code) -> Finding | None:
    """The finding that the module of `code` is written for the legacy API, to which nothing else here applies."""
    for node in _parsed(code.file).body:
        named = [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        if any(name.partition(".")[0] == "neuronxcc" for name in named):
            text = "neuronxcc.nki is an error since NKI 0.4: import nki"
            return Finding(code.file, node.lineno, node.col_offset, "lang.no_legacy_ns", text)
    return None
