"""Importing the modules of a harness, so that what their code reads besides its modules is seen."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from nkiverify.frontend.seen import HARNESS_MARKER, imported, note_text, noting
from nkiverify.frontend.source_names import walk


class HarnessSource(SourceFileLoader):
    """Executes a module of a harness with built-ins of its own."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module)[HARNESS_MARKER] = self.path
        vars(module)["__builtins__"] = {**vars(builtins), **noting({}, "open"), "__import__": _import}
        super().exec_module(module)
        note_text(list(walk(ast.parse(Path(self.path).read_bytes()))), self.path)


class _Beside(MetaPathFinder):
    """Finds modules in a folder, and those in packages there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        around = vars(sys.modules.get(fullname.rpartition(".")[0], builtins))
        if path is not None and HARNESS_MARKER not in around and around.get("__file__") is not None:
            return None  # in a package that is installed
        spec = PathFinder.find_spec(fullname, path if path is not None else [str(self._folder)])
        if spec is None or not isinstance(spec.loader, SourceFileLoader) or spec.origin is None:
            return None
        if not Path(spec.origin).is_relative_to(self._folder):
            return None
        spec.loader = HarnessSource(fullname, spec.origin)
        return spec


@contextmanager
def attached(folder: Path) -> Iterator[None]:
    """Within the block, modules in `folder` are imported as those of a harness, before all that are installed."""
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    finder = _Beside(folder)
    sys.path.insert(0, str(folder))
    finders = [getattr(one, "__name__", "") for one in sys.meta_path]
    sys.meta_path.insert(finders.index("PathFinder") if "PathFinder" in finders else 0, finder)
    try:
        yield
    finally:
        sys.dont_write_bytecode = written
        sys.path.remove(str(folder))
        sys.meta_path.remove(finder)


def _import(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    found = builtins.__import__(name, globals, locals, fromlist or (), level)
    return imported(found, name, globals, fromlist, level, sys._getframe(1))
