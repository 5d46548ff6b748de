"""Objects that code which was not executed could have changed.

A statement that met a refusal, and a call of something that is not installed, would have changed what they can reach:
what they name, what that refers to, and what the functions name that they may call. Names bound to such objects become
unknown. Where it cannot be known, as the code binds names of modules or sets attributes, imports, or executes text, no
kernel of these modules has a verdict. Errs on the side of too much: what is not known to change nothing may change all.
"""

from __future__ import annotations

import ast
import dis
import gc
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from pathlib import PurePath
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CellType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import KERNEL_MARKER, Site, frame_site, identity, is_kernel_class, kernel_frame
from nkiverify.frontend.kernel_files import STUB_PACKAGES
from nkiverify.frontend.nodes import HOOKS
from nkiverify.model.launch import Kernel
from nkiverify.symbolic.execution import execution_in_progress, raised_outside, unsupported

#: Types of values that nothing changes, and that lead to nothing.
_ATOMS = frozenset({bool, int, float, complex, str, bytes, type(None), range, type(...), type(NotImplemented)})
#: Types of others that nothing changes, which refer to objects.
_UNCHANGING = frozenset(
    {tuple, frozenset, slice, Kernel, FunctionType, BuiltinFunctionType, MethodType, CellType, ModuleType}
)
#: Types of functions that go on where they stopped.
_SUSPENDED = frozenset({AsyncGeneratorType, CoroutineType, GeneratorType})
#: Packages whose functions change only what they are given, and execute no text of kernels.
_LIBRARIES = frozenset(
    (
        *("_io", "abc", "argparse", "base64", "builtins", "collections", "configparser", "contextlib", "copy", "csv"),
        *("dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "genericpath", "glob", "gzip"),
        *("hashlib", "io", "itertools", "json", "linecache", "logging", "math", "ml_dtypes", "nkiverify", "ntpath"),
        *("numbers", "numpy", "os", "pathlib", "platform", "posix", "posixpath", "random", "re", "secrets", "shutil"),
        *("signal", "socket", "sqlite3", "statistics", "string", "struct", "subprocess", "sys", "tempfile"),
        *("textwrap", "time", "tomllib", "typing", "urllib", "uuid", "warnings", "zipfile", "zlib", *STUB_PACKAGES),
    )
)
#: Packages whose objects, unless one can assign to their elements, only name things.
_NAMING = (*STUB_PACKAGES, "nkiverify.model", "numpy", "ml_dtypes", "typing", "logging", "re", "datetime", "pathlib")
#: Names of functions and attributes that lead to any module, frame or namespace, or execute text.
_LEADING = frozenset(
    (
        *("_getframe", "allow_pickle", "compile", "currentframe", "delattr", "dictConfig", "eval", "exec"),
        *("fileConfig", "getattr", "globals", "import_module", "locals", "meta_path", "modules", "path_hooks"),
        *("setattr", "setprofile", "settrace", "vars"),
    )
)
#: Names with underscores that lead nowhere.
_HARMLESS = frozenset({"__doc__", "__file__", "__main__", "__name__", "__qualname__", "__version__", HOOKS})
#: Instructions that change what outlives the call of a function, whatever it is given.
_CHANGING = frozenset({"DELETE_ATTR", "DELETE_GLOBAL", "STORE_ATTR", "STORE_GLOBAL"})
_OF_CELLS = frozenset({"DELETE_DEREF", "STORE_DEREF"})
_NAMED_IN = ("LOAD_ATTR", "LOAD_GLOBAL", "LOAD_METHOD", "LOAD_NAME")


class Absent:
    """The base of what stands for something that could not be imported or computed."""


@dataclass(slots=True)
class Reachable:
    """The objects that can be changed, by identity; or, where these cannot be known, the name of what changes
    others."""

    objects: dict[int, object] = field(default_factory=dict)
    untold: str = ""


# --- walking ----------------------------------------------------------------------------------------------------------


def reached(values: Iterable[object]) -> Reachable:
    """Everything that code given these values could change."""
    found = Reachable()
    pending, known = list(values), dict[int, object]()
    while pending and not found.untold:
        value: Any = pending.pop()
        if _is_atom(value) or identity(value) in known:
            continue
        known[identity(value)] = value
        kind = type(value)
        if issubclass(kind, ModuleType):
            if KERNEL_MARKER in vars(value) or not _is_library(value.__name__):
                found.untold = value.__name__
        elif kind is FunctionType and KERNEL_MARKER in value.__globals__:
            found.untold = _changes_others(value)
            if vars(value).keys() - {"__wrapped__"}:
                found.objects[identity(value)] = value
            pending.extend(_named(value))
        elif kind in (FunctionType, BuiltinFunctionType) or (issubclass(kind, type) and not is_kernel_class(value)):
            if value.__name__ in _LEADING or not _is_library(value.__module__ or "builtins"):
                found.untold = value.__name__
        elif kind in _SUSPENDED:
            found.untold = value.__qualname__
        elif kind not in _UNCHANGING and not _only_names(value):
            found.objects[identity(value)] = value
        pending.extend(_parts(value))
    return found


def _is_atom(value: object) -> bool:
    return type(value) in _ATOMS or issubclass(type(value), Absent | PurePath)


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES


def _only_names(value: object) -> bool:
    module = f"{type(value).__module__}."
    return any(module.startswith(f"{one}.") for one in _NAMING) and not hasattr(type(value), "__setitem__")


def _parts(value: Any) -> Iterable[object]:
    """The objects that a value refers to; of functions not the names of their modules, of libraries none."""
    kind = type(value)
    if _is_atom(value) or issubclass(kind, ModuleType):
        return ()
    if kind is FunctionType:
        return (value.__closure__, value.__defaults__, *(value.__kwdefaults__ or {}).values(), *vars(value).values())
    if kind is Kernel:
        return (value.function, *value.options.values())
    if issubclass(kind, type):
        return (*_members(value), *value.__bases__) if is_kernel_class(value) else ()
    if _only_names(value):
        return ()
    own = (kind,) if is_kernel_class(kind) else ()
    if kind.__module__ == "numpy":
        own = (*own, value.base)  # whose elements it may be a view of
    return (*own, *(part for part in gc.get_referents(value) if not issubclass(type(part), type)))


def _members(cls: type) -> Iterator[object]:
    """The attributes of a class, without the methods that `dataclass` writes."""
    written = "__dataclass_fields__" in vars(cls)
    for value in vars(cls).values():
        if not (written and type(value) is FunctionType and value.__code__.co_filename == "<string>"):
            yield value


def _named(function: FunctionType) -> Iterator[object]:
    """The values that the names in a function have in its module, nested functions included."""
    for code in _codes(function.__code__):
        yield from (function.__globals__[name] for name in code.co_names if name in function.__globals__)


def _codes(code: CodeType) -> Iterator[CodeType]:
    pending = [code]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(constant for constant in part.co_consts if isinstance(constant, CodeType))


def _changes_others(function: FunctionType) -> str:
    """The name of a function that may change what it does not reach; empty of any other."""
    for code in _codes(function.__code__):
        for one in dis.get_instructions(code):
            if (
                one.opname in _CHANGING
                or (one.opname in _OF_CELLS and one.argval in code.co_freevars)
                or (one.opname == "IMPORT_NAME" and not _is_library(str(one.argval)))
                or (one.opname.startswith(_NAMED_IN) and _leads(str(one.argval)))
            ):
                return function.__qualname__
    return ""


def _leads(name: str) -> bool:
    """True if what has this name may lead anywhere."""
    return name in _LEADING or (name.startswith("__") and name.endswith("__") and name not in _HARMLESS)


def _holds(value: object, wanted: Reachable) -> bool:
    pending, known = [value], dict[int, object]()
    while pending:
        part = pending.pop()
        if identity(part) in wanted.objects:
            return True
        if not _is_atom(part) and identity(part) not in known:
            known[identity(part)] = part
            pending.extend(_parts(part))
    return False


def reached_by(statement: ast.stmt, namespace: dict[str, Any]) -> Reachable:
    """Everything that a statement at the top level of a module could change, but for the names that it binds."""
    values: list[object] = []
    for part in ast.walk(statement):
        untold = ""
        if isinstance(part, ast.Name):
            if _leads(part.id):
                untold = part.id
            elif part.id in namespace:
                values.append(namespace[part.id])
        elif isinstance(part, ast.Attribute):
            untold = part.attr if _leads(part.attr) or _assigns_to(part, namespace) else ""
        elif isinstance(part, ast.keyword):
            untold = part.arg if part.arg in _LEADING else ""
        elif isinstance(part, ast.Import):
            untold = next((alias.name for alias in part.names if not _is_absent_or_library(alias.name)), "")
        elif isinstance(part, ast.ImportFrom):
            name = part.module or "."
            star = any(alias.name == "*" for alias in part.names)
            untold = name if part.level or star or not _is_absent_or_library(name) else ""
        elif isinstance(part, ast.Global):
            untold = part.names[0]
        if untold:
            return Reachable(untold=untold)
    return reached(values)


def _assigns_to(node: ast.Attribute, namespace: dict[str, Any]) -> bool:
    """True if an attribute of a module or a function is assigned: neither is an object that a name may be bound to."""
    if isinstance(node.ctx, ast.Load):
        return False
    owner: ast.expr = node
    while isinstance(owner, ast.Attribute | ast.Subscript | ast.Call):
        owner = owner.func if isinstance(owner, ast.Call) else owner.value
    value = namespace.get(owner.id) if isinstance(owner, ast.Name) else None
    return issubclass(type(value), ModuleType | FunctionType | Kernel)


def _is_absent_or_library(name: str) -> bool:
    return _is_library(name) or issubclass(type(sys.modules.get(name.partition(".")[0])), Absent)


# --- what follows from it ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Doubt:
    """The reason for which no kernel of some modules has a verdict, with the place, and how to settle it."""

    construct: str
    advice: str
    site: Site | None

    def unsupported(self) -> BaseException:
        """The exception to raise where a kernel is about to run."""
        return unsupported(self.construct, self.advice, self.site)


#: The doubts about the modules being imported, or whose kernel runs, innermost last.
_doubts: list[list[Doubt]] = []


@contextmanager
def doubting(doubts: list[Doubt]) -> Iterator[None]:
    """Doubts that arise within the block are about the modules that these are `doubts` of; so are signals of ours that
    a handler of theirs has taken for an answer, which no statement was passed over for."""
    _doubts.append(doubts)
    before = len(raised_outside)
    try:
        yield
    finally:
        _doubts.pop()
        for signal, _ in raised_outside[before:]:
            doubts.append(Doubt(signal.construct, signal.advice, signal.site))
        del raised_outside[before:]


def passed_over(file: str, lines: range) -> None:
    """The statement at these lines of a file is passed over: no handler outside of it has taken what it raised."""
    raised_outside[:] = [
        (signal, places)
        for signal, places in raised_outside
        if not any(name == file and line in lines for name, line in places)
    ]


def doubt(construct: str, advice: str, site: Site) -> None:
    """No kernel of the modules being imported has a verdict; the one that runs has none."""
    found = Doubt(construct, advice, site)
    if execution_in_progress() is not None or not _doubts:
        raise found.unsupported()
    _doubts[-1].append(found)


def make_unknown(found: Reachable, what: str, absent: Callable[[str], Absent], advice: str, site: Site) -> None:
    """Bind the names by which modules of kernels hold these objects to `absent`, as `what` may have changed them."""
    untold = found.untold
    if not untold and found.objects:
        untold = _replaced(found, absent)
    if untold:
        doubt(f"{what}, which may have changed anything by way of {untold}", advice, site)


def _replaced(found: Reachable, absent: Callable[[str], Absent]) -> str:
    """Bind names of modules, and of class bodies being executed, to `absent` where they hold one of the objects; the
    name of a function that holds one, which cannot be replaced."""
    spaces = [vars(module) for module in list(sys.modules.values()) if KERNEL_MARKER in getattr(module, "__dict__", ())]
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if KERNEL_MARKER in frame.f_globals:
            spaces.append(frame.f_locals)
            of_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED
            if of_function and any(_holds(one, found) for one in frame.f_locals.values()):
                return frame.f_code.co_name
        frame = frame.f_back
    for names in {id(names): names for names in spaces}.values():
        for name, value in list(names.items()):
            if (name.startswith("__") and name.endswith("__")) or not _holds(value, found):
                continue
            if type(value) in (FunctionType, Kernel):
                return name
            names[name] = absent(name)
    return ""


def handed_over(values: Iterable[object], why: str, absent: Callable[[str], Absent]) -> None:
    """Kernel code gives values to something that is not there, as `why` says: it may change them."""
    given = [value for value in values if not _is_atom(value)]
    frame = kernel_frame(2)
    if given and frame is not None:
        make_unknown(reached(given), f"a call of {why}", absent, "install it", frame_site(frame))


def is_decorated(value: object) -> bool:
    """True of a function or class that is being defined: nothing has it yet, and decorators only keep it."""
    value = value.function if type(value) is Kernel else value
    if not (type(value) is FunctionType or (issubclass(type(value), type) and is_kernel_class(value))):  # type: ignore[arg-type]
        return False
    return "<" not in value.__qualname__ and _bound_to(value) is not value  # type: ignore[attr-defined]


def is_bound(value: object) -> bool:
    """True if the name of a function or class has a value, this one or what a decorator has made of it."""
    return _bound_to(value) is not None


def _bound_to(value: Any) -> object:
    value = value.function if type(value) is Kernel else value
    first, *others = value.__qualname__.split(".")
    found = (value.__globals__ if type(value) is FunctionType else vars(sys.modules[value.__module__])).get(first)
    for name in others:
        found = getattr(found, name, None)
    return found
