"""Syntax trees of kernel files."""

from __future__ import annotations

import ast
import functools
import itertools
import linecache
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.foundation.errors import UsageError


@contextmanager
def nested_deeply() -> Iterator[None]:
    """Room to go through a syntax tree: a chain of hundreds of `elif` or `+` is as many nodes within one another."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, ExploringBudget.TREE_DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def parse(file: Path) -> ast.Module:
    """The syntax tree of a kernel file, the same one for all who ask: none may change it.

    Raises `UsageError` where the file cannot be read or parsed.
    """
    return _kept(file, source(file))


def parse_anew(file: Path) -> ast.Module:
    """A syntax tree of a kernel file that may be changed; errors are those of `parse`."""
    return _parsed(file, source(file))


#: Texts that stand for those of files, by resolved path, each with a number of its own.
_instead: dict[Path, tuple[int, bytes]] = {}
_numbers = itertools.count()


@contextmanager
def reading_instead(file: Path, text: str) -> Iterator[None]:
    """Kernels are read as if `file`, a resolved path, had this `text`: an edit is tried without being written. The file
    itself need not be there."""
    name, before = str(file), _instead.get(file)
    kept = linecache.cache.pop(name, None)
    _instead[file] = next(_numbers), text.encode()
    # Without a time: never compared with the file.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    try:
        yield
    finally:
        del _instead[file], linecache.cache[name]
        if before is not None:
            _instead[file] = before
        if kept is not None:
            linecache.cache[name] = kept


def is_there(file: Path) -> bool:
    """True if there is a kernel file, or a text that stands for it."""
    return file in _instead or file.is_file()


def stamp(file: Path) -> tuple[int, int]:
    """The state of a kernel file: the time of its last change, and its size."""
    if (instead := _instead.get(file)) is not None:
        return -1 - instead[0], len(instead[1])
    stat = file.stat()
    return stat.st_mtime_ns, stat.st_size


def source(file: Path) -> bytes:
    """The text of a kernel file. Raises `UsageError` where it cannot be read."""
    if (instead := _instead.get(file)) is not None:
        return instead[1]
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from None


def _parsed(file: Path, source: bytes) -> ast.Module:
    try:
        with nested_deeply():
            return ast.parse(source, str(file))
    except RecursionError:
        raise UsageError(f"{file}: nested too deeply to be read") from None
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        place = f"{file}:{line}" if line else str(file)
        if "utf-8' codec can't decode" in str(error):
            raise UsageError(f"{place}: the file is not UTF-8, and names no other encoding") from None
        raise UsageError(f"{place}: not Python: {getattr(error, 'msg', error)}") from None


_kept = functools.lru_cache(maxsize=ExploringBudget.TREES_KEPT)(_parsed)
