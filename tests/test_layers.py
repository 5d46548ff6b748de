"""The layers of the package: `make lint` checks their order; here it is that no files import each other in a circle.

An import counts wherever it stands: inside a function, or for the type checker only.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from nkiverify.foundation.resources import root

PACKAGE = "nkiverify"


def modules(folder: Path) -> dict[str, Path]:
    """The files of the package in `folder`, by the names of their modules."""
    found: dict[str, Path] = {}
    for path in sorted((folder / PACKAGE).rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(module: str, files: dict[str, Path]) -> set[str]:
    """The modules among `files` that a module names in its imports."""
    path = files[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                around = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*around, *([base] if base else [])])
            for name in node.names:
                inner = f"{base}.{name.name}"
                found.add(inner if inner in files else base)
    return (found & files.keys()) - {module}


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """The modules that import each other in a circle, with those that import them; nothing where there are none."""
    left = {module: set(targets) for module, targets in graph.items()}
    while True:
        # What imports nothing that is left is in no circle.
        ends = {module for module, targets in left.items() if not targets & left.keys()}
        if not ends:
            return sorted(left)
        left = {module: targets for module, targets in left.items() if module not in ends}


@pytest.mark.every_case
def test_no_files_import_each_other_in_a_circle() -> None:
    files = modules(root())
    assert len(files) > 300
    assert cycle({module: imports(module, files) for module in files}) == []


@pytest.mark.parametrize(
    "second",
    [
        "import nkiverify.first\n",
        "from nkiverify.first import name\n",
        "def function():\n    from nkiverify import first\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import first\n",
    ],
)
def test_a_circle_is_found_wherever_the_import_stands(tmp_path: Path, second: str) -> None:
    package = tmp_path / PACKAGE
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "first.py").write_text("from nkiverify import second\n")
    (package / "second.py").write_text(second)
    (package / "third.py").write_text("from nkiverify import first\n")
    files = modules(tmp_path)
    assert {"nkiverify.first", "nkiverify.second"} <= set(cycle({name: imports(name, files) for name in files}))
