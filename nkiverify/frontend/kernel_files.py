"""Finding the files of modules that kernels import, without loading any: the stubs', and those next to the kernel."""

from __future__ import annotations

import functools
import os
import re
import sys
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.dataclass import dataclass

#: The packages that the stub library stands for.
STUB_PACKAGES = ("nki", "neuronxcc")

#: Libraries that are imported when they are needed first, which may be while a kernel runs.
_LATE = ("islpy", "ml_dtypes", "numpy", "z3")
#: Names of Python's that packages of users have, and no library imports.
_OF_USERS = ("test",)
#: What is added to names that kernels cannot have.
_RENAMED = "_of_kernels"
#: What lies at the top of a repository.
_TOP_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
#: What lies where modules are imported from, whatever else lies there; packages have a `setup.py` of their own.
_IMPORTED_FROM = (".git", "pyproject.toml")

_RELATIVE_IMPORT = re.compile(r"^[ \t]*from[ \t]+(\.+)", re.MULTILINE)


class ModuleFiles:
    """The files of the modules that kernels in the folder `root` may import; `base` is where the user is."""

    def __init__(self, root: Path, base: Path | None = None) -> None:
        self._root = root
        #: The files of modules that were asked for by file: their names may be spelled otherwise.
        self._named: dict[str, Path] = {}
        #: The folders that were looked into for names; None where that cannot be.
        self._folders: dict[str, _Folder | None] = {}
        #: The names that were asked about.
        self._has: dict[str, bool] = {}
        #: Top-level names that could be served, each with the folder that serves it: the nearest one to the kernel.
        self.served: dict[str, Path] = {}
        #: Modules in the folder of the kernel that have the name of one that Python has, and does not have built in.
        self.like_python = frozenset(
            name
            for name in _looked_into(str(root)).names & sys.stdlib_module_names - set(sys.builtin_module_names)
            if file_at(root / name) is not None
        )
        folders = _import_roots(root, base)
        for folder in folders:
            for name in _looked_into(str(folder)).served:
                self.served.setdefault(name, folder)
        for folder in folders:
            found = _looked_into(str(folder))
            if found.is_top and found.is_package and _may_be_served(folder.name):
                # A package whose folder is the repository's.
                self.served.setdefault(folder.name, folder.parent)

    def serve(self, name: str, file: Path) -> None:
        """Let `name` mean the kernel's file."""
        self.served.setdefault(name.partition(".")[0], self._root)
        self._named[name] = file
        self._has.clear()

    def serve_from(self, folder: Path, name: str) -> bool:
        """Let the top-level `name` mean what is in `folder`; False where kernels cannot have modules of that name."""
        if _may_be_served(name):
            self.served.setdefault(name, folder)
            self._has.clear()
        return name in self.served

    def has(self, name: str) -> bool:
        """True if there is a file, or a folder, of the module `name`: as it was when that was asked first."""
        if name not in self._has:
            self._has[name] = name in self._named or self._is_there(name)
        return self._has[name]

    def _is_there(self, name: str) -> bool:
        top = self.served.get(name.partition(".")[0])
        if top is None:
            return False
        # As text: a process of tests has hundreds of modules of the repository that its kernels lie in.
        folder, _, last = f"{top}{os.sep}{_as_there(name).replace('.', os.sep)}".rpartition(os.sep)
        if folder not in self._folders:
            try:
                self._folders[folder] = _looked_into(folder)
            except OSError:  # there is none, or it may be entered and not read
                self._folders[folder] = None
        found = self._folders[folder]
        if found is None:
            return (self.source_of(name) or self.folder_of(name)) is not None
        return last in found.names

    def source_of(self, name: str) -> Path | None:
        """The file of the module `name` in the kernel's repository, if there is one."""
        if name in self._named:
            return self._named[name]
        path = self._path_of(name)
        return file_at(path) if path is not None else None

    def folder_of(self, name: str) -> Path | None:
        """The folder of the namespace package `name`, one without `__init__.py`, in the kernel's repository."""
        path = self._path_of(name)
        return path if path is not None and path.is_dir() else None

    def _path_of(self, name: str) -> Path | None:
        folder = self.served.get(name.partition(".")[0])
        return folder.joinpath(*_as_there(name).split(".")) if folder is not None else None


def _as_there(name: str) -> str:
    """The name of a module as its file and folders have it."""
    top, dot, rest = name.partition(".")
    return f"{top.removesuffix(_RENAMED)}{dot}{rest}"


def _import_roots(root: Path, base: Path | None) -> list[Path]:
    """Folders that modules are imported from: `root`, then those around it to the top of the repository, if any.

    `base`, where the user is, counts as such a top, as Python imports from there.
    """
    folders = [root, *root.parents]
    marked = (depth for depth, folder in enumerate(folders) if _is_top(folder))
    top = max(next(marked, 0), folders.index(base) if base in folders else 0)
    found: list[Path] = []
    for folder in folders[: top + 1]:
        found.append(folder)
        if folder is not root and (folder / "src").is_dir():
            found.append(folder / "src")
    return found


@dataclass(frozen=True, slots=True)
class _Folder:
    """The entries of a folder that say what is imported from it: the names of modules and packages, those of them that
    may be served, whether it is the top of a repository, and whether it is a package."""

    names: frozenset[str]
    served: tuple[str, ...]
    is_top: bool
    is_package: bool


def _looked_into(folder: str) -> _Folder:
    """The entries of `folder`, which are read again where one has come or gone: each run of a kernel asks. Of two
    changes within one tick of the file system's clock, the later one may be missed: its module is not installed."""
    found = Path(folder).stat()
    return _entries(folder, found.st_ino, found.st_ctime_ns)


@functools.lru_cache(maxsize=1024)
def _entries(folder: str, number: int, changed: int) -> _Folder:
    names: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name.removesuffix(".py")
            if (name != entry.name and entry.is_file()) or entry.is_dir():
                names.append(name)
    served = tuple(filter(_may_be_served, names))
    return _Folder(frozenset(names), served, _is_top(Path(folder)), Path(folder, "__init__.py").is_file())


def _is_top(folder: Path) -> bool:
    """True if a folder is the top of a repository, from which its modules are imported."""
    found = folder.stat()
    return _has_mark(str(folder), found.st_ino, found.st_ctime_ns)


@functools.lru_cache(maxsize=1024)
def _has_mark(folder: str, number: int, changed: int) -> bool:
    return any(Path(folder, mark).exists() for mark in _TOP_MARKS)


def _may_be_served(name: str) -> bool:
    return name not in sys.stdlib_module_names and name not in ("nkiverify", *_LATE, *STUB_PACKAGES)


def stub_file(name: str) -> Path | None:
    """The file of the module `name` of the stub library, if there is one."""
    return file_at((resources.root() / "stubs").joinpath(*name.split(".")))


def file_at(path: Path) -> Path | None:
    """The file of a module that is at `path` without its ending: a package comes before a module."""
    candidates = (path / "__init__.py", path.with_name(path.name + ".py"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def module_name(file: Path) -> tuple[Path, str]:
    """The folder from which `file` is imported, and the dotted name it has there.

    A folder without `__init__.py` is a package where modules in it are imported relatively to it; the top of a
    repository is one only so, as its packages are imported from there whether it has an `__init__.py` or not. A dot
    within the name of the file would be one of the module's: `v1.2.py` has the name `v1_dot_2`. A file or package that
    has the name of a module of Python's, or of a library, is not imported in place of that: `types.py` is no `types`.
    """
    parts = [file.stem.replace(".", "_dot_")] if file.name != "__init__.py" else []
    folder = file.parent
    levels = _relative_levels(folder)
    while _is_package(folder, named=bool(parts)) or (len(parts) <= levels and folder.name):
        parts.insert(0, folder.name)
        folder = folder.parent
    if not _may_be_served(parts[0]) and parts[0] not in _OF_USERS:
        parts[0] += _RENAMED
    return folder, ".".join(parts)


def _is_package(folder: Path, named: bool) -> bool:
    """True if modules in `folder` are imported as parts of it; `named`: they have a name without it."""
    if named and any((folder / mark).exists() for mark in _IMPORTED_FROM):
        return False
    return (folder / "__init__.py").is_file()


def _relative_levels(folder: Path) -> int:
    """How many folders up the modules in `folder` import from: 1 for `from . import`, 0 where all are absolute."""
    try:
        with os.scandir(folder) as entries:
            files = [entry for entry in entries if entry.name.endswith(".py") and entry.is_file()]
            stamps = [(entry.path, entry.stat()) for entry in files]
    except OSError:
        return 0
    return max((_levels_of(path, found.st_mtime_ns, found.st_size) for path, found in stamps), default=0)


@functools.lru_cache(maxsize=4096)
def _levels_of(file: str, changed: int, size: int) -> int:
    """The same for one file, as it was when it had been `changed` last."""
    try:
        text = Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return max((len(found.group(1)) for found in _RELATIVE_IMPORT.finditer(text)), default=0)
