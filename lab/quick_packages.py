"""`python -m lab.quick_packages`: whether `make quick` notices each package of nkiverify that breaks.

Works on a copy of the checkout. All functions of one package at a time raise an exception, and the tests of the quick
lane run until the first one fails. Packages that no test notices are printed, and the command exits with 1.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab.checker import Copy

_OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "--numprocesses", "0")


def raising(text: str) -> str:
    """The module `text` with all its functions raising an exception; `text` itself where it has none."""
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in functions:
        node.body = ast.parse("raise RuntimeError('broken')").body
    return ast.unparse(tree) if functions else text


@contextmanager
def _broken(package: Path) -> Iterator[None]:
    before = {file: file.read_text(encoding="utf-8") for file in package.glob("*.py")}
    for file, text in before.items():
        file.write_text(raising(text), encoding="utf-8")
    try:
        yield
    finally:
        for file, text in before.items():
            file.write_text(text, encoding="utf-8")


def _has_functions(package: Path) -> bool:
    texts = (file.read_text(encoding="utf-8") for file in package.glob("*.py"))
    return any(raising(text) != text for text in texts)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m lab.quick_packages", description=__doc__)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="such as products/derive; default: all")
    parser.add_argument("--tests", nargs="*", default=["tests"], metavar="FOLDER", help="the tests that are asked")
    options = parser.parse_args(arguments)
    left = 0
    with tempfile.TemporaryDirectory(prefix="nkiverify-quick-") as folder:
        copy = Copy(Path(folder) / "copy")
        top = copy.folder / "nkiverify"
        found = [file.parent.relative_to(top).as_posix() for file in sorted(top.rglob("__init__.py"))]
        for name in options.packages or [one for one in found if one != "." and _has_functions(top / one)]:
            with _broken(top / name):
                status = copy.ends(("-m", "pytest", *_OPTIONS, *options.tests), lane="quick")
            noticed = status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
            left += not noticed
            print(f"{name}: {'noticed' if noticed else 'NOT NOTICED'}", flush=True)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
