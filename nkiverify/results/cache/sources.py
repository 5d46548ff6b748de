"""The files that a target is verified from: its kernel and its harness module, with every module they may import.

They are found in the text of the files, as the import hook would find them, without running anything. So a file that is
imported on no path counts. What their code reads besides, and what it imports without a statement, is seen when it is
executed: `nkiverify.frontend.seen`. A file that cannot be read is an *obstacle*: nothing is remembered about it.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import lru_cache
from pathlib import Path

from nkiverify.foundation.dataclass import dataclass
from nkiverify.frontend.kernel_files import ModuleFiles, file_at, module_name
from nkiverify.frontend.source_names import walk


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


#: How a module's name is found: the file that it means, if there is one.
_Finder = Callable[[str], "Path | None"]


def kernel_sources(reference: str, base: Path) -> Sources:
    """The files of the kernel `path::name`; relative paths are relative to `base`."""
    file = (base / reference.partition("::")[0]).resolve()
    root, dotted = module_name(file)
    files = ModuleFiles(root, base.resolve())

    def source_of(name: str) -> Path | None:
        # One like Python's is not loaded; that it is there leaves open what an import means.
        return file_at(root / name) if name in files.like_python else files.source_of(name)

    return _closure(dotted, file, source_of)


def harness_sources(file: Path) -> Sources:
    """The files of a harness module, which is imported with its folder at the head of the path."""
    folder = file.parent

    def source_of(name: str) -> Path | None:
        return file_at(folder.joinpath(*name.split(".")))

    return _closure(file.stem, file, source_of)


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
                waiting += _located(wanted, finder, sources)
    return sources


def _located(name: str, finder: _Finder, sources: Sources) -> list[tuple[str, Path]]:
    path = finder(name)
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
        package = finder(module)
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
        nodes = list(walk(ast.parse(content)))
    except (SyntaxError, ValueError, RecursionError):
        return (), "is not Python"
    plain = [_Import(0, alias.name) for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named = [
        _Import(node.level, node.module or "", tuple(alias.name for alias in node.names))
        for node in nodes
        if isinstance(node, ast.ImportFrom)
    ]
    return (*plain, *named), ""
