"""The files that a target is verified from: its kernel and its harness module, with every module they may import.

They are found in the text of the files, as the import hook would find them, without running anything. So a file that is
imported on no path counts, and what a text cannot tell is an *obstacle*: a module that looks at more than its arguments
(a clock, a file, the environment), or code that is made while it runs. Nothing is remembered about such a target.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import KernelSpace, module_name
from nkiverify.frontend.placeholders import STUB_PACKAGES

#: Modules of the standard library that give the same to the same arguments, and read nothing else.
_PURE = frozenset(
    (
        "__future__", "abc", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "decimal",
        "enum", "fractions", "functools", "heapq", "inspect", "itertools", "logging", "math", "numbers",
        "operator", "re", "string", "textwrap", "types", "typing", "warnings",
    )
)  # fmt: skip

#: Packages that the digest of our own package, or the list of what is installed, covers.
_KNOWN = frozenset({"nkiverify", "numpy", "ml_dtypes", *STUB_PACKAGES})

#: Built-ins that run text, read what is no module, or give something else in another process.
_READERS = frozenset(
    (
        "__builtins__", "__import__", "__loader__", "__spec__", "compile", "eval", "exec", "globals", "hash", "id",
        "input", "open", "vars",
    )
)  # fmt: skip

#: Attributes by which a module gets at what it does not import.
_WAYS_OUT = frozenset(
    (
        "__builtins__", "__globals__", "__import__", "environ", "f_builtins", "f_globals", "getenv", "modules", "os",
        "sys",
    )
)  # fmt: skip

#: Functions that get attributes by their names.
_BY_NAME = frozenset({"attrgetter", "getattr", "getattr_static", "methodcaller"})

#: What numpy reads from elsewhere.
_NUMPY_READERS = frozenset(
    (
        "DataSource", "_core", "compat", "core", "ctypeslib", "datetime64", "distutils", "f2py", "fromfile",
        "fromregex", "genfromtxt", "lib", "load", "loadtxt", "ma", "memmap", "random", "rec", "testing",
    )
)  # fmt: skip


@dataclass(slots=True)
class Sources:
    """The files of one kernel or harness module, by path with the digest of their content.

    `found` has every name that is imported, with the file it means or an empty text: a new file that comes before it
    changes that. `newest` is the time at which one of the files was last changed, in nanoseconds.
    """

    files: dict[str, str] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)
    newest: int = 0
    obstacle: str = ""


@dataclass(frozen=True, slots=True)
class _Import:
    """`from ..module import names`, or `import module`; names may hold a star."""

    level: int
    module: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Finder:
    """How a module's name is found: the file it means, or the folder where it is a package without a file."""

    source_of: Callable[[str], Path | None]
    folder_of: Callable[[str], Path | None]


def kernel_sources(reference: str, base: Path) -> Sources:
    """The files of the kernel `path::name`; relative paths are relative to `base`."""
    file = (base / reference.partition("::")[0]).resolve()
    root, dotted = module_name(file)
    space = KernelSpace(root, Rewriting.NONE, base.resolve())
    return _closure(dotted, file, _Finder(space.source_of, space.folder_of))


def harness_sources(file: Path) -> Sources:
    """The files of a harness module, which is imported with its folder at the head of the path."""
    folder = file.parent

    def source_of(name: str) -> Path | None:
        path = folder.joinpath(*name.split("."))
        candidates = (path / "__init__.py", path.with_name(path.name + ".py"))
        return next((candidate for candidate in candidates if candidate.is_file()), None)

    # A folder without `__init__.py` comes after every module that is installed, and is found by its modules.
    return _closure(file.stem, file, _Finder(source_of, lambda name: None))


def _closure(dotted: str, file: Path, finder: _Finder) -> Sources:
    sources = Sources()
    waiting = [(dotted, file)]
    for package in _prefixes(dotted)[:-1]:
        waiting += _located(package, finder, sources)
    while waiting and not sources.obstacle:
        name, path = waiting.pop()
        if str(path) in sources.files:
            continue
        try:
            content = path.read_bytes()
            sources.newest = max(sources.newest, path.stat().st_ctime_ns)
        except OSError as error:
            sources.obstacle = f"{path} cannot be read: {error.strerror or error}"
            break
        sources.files[str(path)] = hashlib.sha256(content).hexdigest()
        imports, obstacle = _scan(content)
        if obstacle:
            sources.obstacle = f"{path.name} {obstacle}"
            break
        for one in imports:
            for wanted in _names(one, name, path, finder):
                found = _located(wanted, finder, sources)
                waiting += found
                if not found and "." not in wanted and finder.folder_of(wanted) is None:
                    sources.obstacle = sources.obstacle or _outside(wanted, path)
    return sources


def _located(name: str, finder: _Finder, sources: Sources) -> list[tuple[str, Path]]:
    path = finder.source_of(name)
    sources.found[name] = str(path or "")
    return [(name, path)] if path is not None else []


def _names(one: _Import, name: str, path: Path, finder: _Finder) -> Iterator[str]:
    """Every module that an import in the module `name` at `path` may load."""
    module = one.module
    if one.level:
        parts = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        parts = parts[: len(parts) - one.level + 1]
        module = ".".join([*parts, *filter(None, [module])])
    yield from _prefixes(module)
    for imported in one.names:
        if imported != "*":
            yield f"{module}.{imported}" if module else imported
            continue
        # What `__all__` lists may be modules of the package.
        package = finder.source_of(module)
        if package is not None and package.name == "__init__.py":
            yield from (f"{module}.{entry.stem}" for entry in sorted(package.parent.iterdir()))


def _prefixes(dotted: str) -> list[str]:
    """`a`, `a.b`, `a.b.c` for `a.b.c`."""
    parts = dotted.split(".") if dotted else []
    return [".".join(parts[: end + 1]) for end in range(len(parts))]


@lru_cache(maxsize=4096)
def _scan(content: bytes) -> tuple[tuple[_Import, ...], str]:
    """The imports in the text of a module, and what stands against remembering anything about it."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return (), "is not Python"
    imports: list[_Import] = []
    numpy: set[str] = set()
    modules: dict[str, str] = {}
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            imports += [_Import(0, alias.name) for alias in node.names]
            modules |= {alias.asname or alias.name: alias.name for alias in node.names if alias.name in _PURE}
            numpy |= {alias.asname or "numpy" for alias in node.names if alias.name.partition(".")[0] == "numpy"}
        elif isinstance(node, ast.ImportFrom):
            imports.append(_Import(node.level, node.module or "", tuple(alias.name for alias in node.names)))
    for one in imports:
        top, *rest = one.module.split(".")
        if top == "numpy" and not one.level and (_NUMPY_READERS | {"*"}) & {*rest, *one.names}:
            return (), f"imports {one.module}, which reads more than its arguments"
        for name in one.names if top in _PURE and not one.level else ():
            reached = _module_of(one.module, name)
            if reached:
                return (), f"imports {reached} from {one.module}"
    named = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in _WAYS_OUT:
            return (), f"uses .{node.attr}"
        function = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if function in _BY_NAME and not _harmless_names(function, calls.get(id(node))):
            return (), f"uses {function} with names that are computed, or that lead out"
        if not isinstance(node, ast.Name):
            continue
        if node.id in _READERS:
            return (), f"uses {node.id}"
        reached = _module_of(modules.get(node.id, ""), named.get(id(node), ""))
        if reached:
            return (), f"uses {node.id}.{named[id(node)]}"
        # By another name, any of its functions could be meant.
        if node.id in numpy and named.get(id(node), "load") in _NUMPY_READERS:
            return (), f"uses numpy.{named[id(node)]}" if id(node) in named else "uses numpy as a value"
    return tuple(imports), ""


def _harmless_names(function: str, call: ast.Call | None) -> bool:
    """True if all that `function`, one of `_BY_NAME`, is asked for in `call` are names written out, and of no module.

    `getattr(x, "tile", 128)` reads no more than `x.tile`; of a name that is computed nothing is known.
    """
    if call is None:
        return False
    asked = call.args[1:2] if function.startswith("getattr") else call.args
    names = [one.value for one in asked if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    parts = {part for name in names for part in name.split(".")}
    return len(names) == len(asked) > 0 and not parts & (_WAYS_OUT | _NUMPY_READERS | sys.stdlib_module_names)


def _module_of(module: str, attribute: str) -> str:
    """The module that an attribute of a module in `_PURE` is, as for `logging.time`; empty for one in `_PURE` too."""
    found = getattr(importlib.import_module(module), attribute, None) if module and attribute else None
    name = found.__name__ if isinstance(found, ModuleType) else ""
    return "" if name.partition(".")[0] in _PURE else name


def _outside(top: str, path: Path) -> str:
    """The objection to a module that is not among the files: empty for one that is known, or not there at all."""
    if top in _KNOWN or top in _PURE or not _there(top):
        return ""
    return f"{path.name} imports {top}, which may read more than its arguments"


def _there(top: str) -> bool:
    """True if there is such a module; what is not there is a placeholder, whatever it is used for."""
    try:
        return importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        return True
