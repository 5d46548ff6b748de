"""Loading kernel source: instrumented for symbolic runs, as it is for concrete ones.

While a `KernelSpace` is active, an import hook serves the stub packages `nki` and `neuronxcc` and the modules beside
the
kernel. Nothing outside changes for good: when the space is left, `sys.modules`, `sys.meta_path` and `sys.path` are as
before,
also where the real `nki` is installed, and byte code is neither read nor written.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from nkiverify import resources
from nkiverify.errors import UsageError
from nkiverify.frontend import hooks
from nkiverify.frontend.builtins import kernel_builtins
from nkiverify.frontend.instrument import HOOKS, instrument
from nkiverify.frontend.snapshot import register_kernel_module
from nkiverify.source import KERNEL_MARKER

#: The packages that the stub library stands for.
STUB_PACKAGES = ("nki", "neuronxcc")

_stub_modules: dict[str, ModuleType] = {}
_compiled: dict[tuple[str, int, int, bool], CodeType] = {}


class KernelSpace:
    """Kernel modules loaded together, all instrumented or all plain."""

    def __init__(self, root: Path, instrumented: bool) -> None:
        self.root = root
        self.instrumented = instrumented
        self.modules: dict[str, ModuleType] = {}
        #: Whether a kernel of these modules has been run since they were imported.
        self.executed = False
        self._finder = _Finder(self)
        #: Top-level names that the folder could serve.
        self._served = {
            entry.stem
            for entry in root.iterdir()
            if (entry.suffix == ".py" or entry.is_dir()) and _may_be_served(entry.stem)
        }

    @contextmanager
    def active(self) -> Iterator[None]:
        """Imports mean the stubs and the modules of this space within the block."""
        mine = {**_stub_modules, **self.modules}
        hidden = {name: module for name, module in sys.modules.items() if self._shadows(name)}
        for name in hidden:
            del sys.modules[name]
        sys.modules.update(mine)
        sys.meta_path.insert(0, self._finder)
        try:
            yield
        finally:
            sys.meta_path.remove(self._finder)
            for name in [name for name in sys.modules if self._shadows(name)]:
                module = sys.modules.pop(name)
                if name.partition(".")[0] in STUB_PACKAGES:
                    _stub_modules[name] = module
                elif getattr(module, KERNEL_MARKER, None) is not None:
                    self.modules[name] = module
            sys.modules.update(hidden)

    def _shadows(self, name: str) -> bool:
        top = name.partition(".")[0]
        return top in STUB_PACKAGES or name in self.modules or self.source_of(name) is not None

    def source_of(self, name: str) -> Path | None:
        """The file of the module `name` beside the kernel, if there is one."""
        if name.partition(".")[0] not in self._served:
            return None
        path = self.root.joinpath(*name.split("."))
        for candidate in (path / "__init__.py", path.with_name(path.name + ".py")):
            if candidate.is_file():
                return candidate
        return None

    def load(self, name: str) -> ModuleType:
        """The module of this name, loaded if it is not yet."""
        with self.active():
            return importlib.import_module(name)


def _may_be_served(name: str) -> bool:
    return name not in sys.stdlib_module_names and name not in ("nkiverify", "numpy", *STUB_PACKAGES)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, space: KernelSpace) -> None:
        self._space = space

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        if top in STUB_PACKAGES:
            file = _stub_file(fullname)
            if file is None:
                return None
            return _spec(fullname, file, _StubLoader(file))
        file = self._space.source_of(fullname)
        if file is None:
            return None
        return _spec(fullname, file, _KernelSource(file, self._space.instrumented))


def _spec(name: str, file: Path, loader: importlib.abc.Loader) -> ModuleSpec | None:
    locations = [str(file.parent)] if file.name == "__init__.py" else None
    return importlib.util.spec_from_file_location(name, file, loader=loader, submodule_search_locations=locations)


def _stub_file(name: str) -> Path | None:
    path = (resources.root() / "stubs").joinpath(*name.split("."))
    for candidate in (path / "__init__.py", path.with_name(path.name + ".py")):
        if candidate.is_file():
            return candidate
    return None


class _StubLoader(importlib.abc.Loader):
    def __init__(self, file: Path) -> None:
        self._file = file

    def exec_module(self, module: ModuleType) -> None:
        exec(_compile(self._file, instrumented=False), module.__dict__)


class _KernelSource(importlib.abc.Loader):
    def __init__(self, file: Path, instrumented: bool) -> None:
        self._file = file
        self._instrumented = instrumented

    def exec_module(self, module: ModuleType) -> None:
        namespace = module.__dict__
        namespace[KERNEL_MARKER] = str(self._file)
        register_kernel_module(module.__name__)
        if self._instrumented:
            namespace[HOOKS] = hooks
            namespace["__builtins__"] = kernel_builtins(builtins.__import__)
        exec(_compile(self._file, self._instrumented), namespace)


def _compile(file: Path, instrumented: bool) -> CodeType:
    stat = file.stat()
    key = (str(file), stat.st_mtime_ns, stat.st_size, instrumented)
    code = _compiled.get(key)
    if code is None:
        tree = parse(file)
        code = compile(instrument(tree) if instrumented else tree, str(file), "exec", dont_inherit=True)
        _compiled[key] = code
    return code


def parse(file: Path) -> ast.Module:
    """The syntax tree of a kernel file. Raises `UsageError` where it cannot be read or parsed."""
    try:
        source = file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from None
    try:
        return ast.parse(source, str(file))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        place = f"{file}:{line}" if line else str(file)
        raise UsageError(f"{place}: not Python: {getattr(error, 'msg', error)}") from None


def module_name(file: Path) -> tuple[Path, str]:
    """The folder from which `file` is imported, and the dotted name it has there."""
    parts = [file.stem] if file.name != "__init__.py" else []
    folder = file.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


_spaces: dict[Path, KernelSpace] = {}


def load_kernel(reference: str, base: Path, instrumented: bool) -> tuple[Callable[..., Any], KernelSpace]:
    """The function `name` of `path::name`, with the space it lives in. Relative paths are relative to `base`.

    Instrumented modules are loaded once in a process; plain ones anew each time. Raises `UsageError` where there is no
    such file or function, or where importing it raises.
    """
    path_text, separator, name = reference.partition("::")
    if not separator or not name:
        raise UsageError(f"a kernel is written path/to/file.py::function, not {reference!r}")
    file = (base / path_text).resolve()
    if not file.is_file():
        raise UsageError(f"no kernel file {path_text}")
    root, dotted = module_name(file)
    space = _spaces.get(root) if instrumented else None
    if space is None:
        space = KernelSpace(root, instrumented)
        if instrumented:
            _spaces[root] = space
    try:
        module = space.load(dotted)
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"importing {path_text} raises {type(error).__name__}: {error}") from error
    kernel = getattr(module, name, None)
    if kernel is None:
        raise UsageError(f"no function {name} in {path_text}{_close(name, module)}")
    if not callable(kernel) or isinstance(kernel, type):
        raise UsageError(f"{name} in {path_text} is not a function")
    return kernel, space


def _close(name: str, module: ModuleType) -> str:
    from difflib import get_close_matches

    matches = get_close_matches(name, [key for key, value in vars(module).items() if callable(value)], 3)
    return f"; did you mean {' or '.join(matches)}?" if matches else ""
