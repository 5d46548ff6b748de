"""While kernel modules are imported, their own code reaches no file, network or other program.

A kernel whose meaning depends on such a thing cannot be verified from its text, and importing a file of somebody's
is to change nothing. What a library does to import itself is not concerned: only calls that kernel code asks for are.
A statement at the top level that asks is passed over, like others that cannot be executed there: kernels that depend on
it are UNKNOWN. No handler in the file may take the refusal for an answer.
"""

from __future__ import annotations

import builtins
import io
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from nkiverify.foundation.source import is_kernel_frame

#: Code that reads files for Python and for us.
_READERS = ("importlib", "linecache", "tokenize", "nkiverify")


class ImportRefused(BaseException):
    """Kernel code asked for a file, the network or a program while it was imported, at `place`; the text is for the
    user."""

    def __init__(self, text: str, place: str = "") -> None:
        super().__init__(text)
        self.place = place


#: What was refused during the present import, without the statements that were passed over for it.
_refused: list[str] = []

#: Statements that were passed over in this process: what is to be said of each, by its place.
passed_over: dict[str, str] = {}


def pass_over(refusal: ImportRefused) -> None:
    """The statement that asked is passed over, and so is what it asked for."""
    _refused.remove(str(refusal))
    passed_over.setdefault(refusal.place, str(refusal))


_WATCHED: tuple[tuple[Any, str, str], ...] = (
    (builtins, "open", "the file"),
    (io, "open", "the file"),
    (os, "open", "the file"),
    (os, "mkdir", "the folder"),
    (os, "remove", "the file"),
    (os, "system", "the program"),
    (subprocess.Popen, "__init__", "the program"),
    (socket, "getaddrinfo", "the network at"),
    (socket.socket, "connect", "the network at"),
)


@contextmanager
def guarded_import() -> Iterator[None]:
    """Refuse within the block what kernel code asks for, and raise `ImportRefused` where it has."""
    outer = list(_refused)
    before = [vars(owner).get(name) for owner, name, _ in _WATCHED]
    for owner, name, what in _WATCHED:
        setattr(owner, name, _watched(getattr(owner, name), what, method=isinstance(owner, type)))
    try:
        yield
        if len(_refused) > len(outer):
            raise ImportRefused(_refused[len(outer)])
    finally:
        _refused[:] = outer
        for (owner, name, _), original in zip(_WATCHED, before, strict=True):
            if original is None:
                delattr(owner, name)
            else:
                setattr(owner, name, original)


def _watched(function: Callable[..., Any], what: str, method: bool) -> Callable[..., Any]:
    def watched(*arguments: Any, **options: Any) -> Any:
        frame = _asking(sys._getframe(1))
        if frame is not None:
            named = arguments[1:] if method else arguments
            subject = next(iter((*named, *options.values())), "")
            place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
            _refused.append(f"{place}: importing it asks for {what} {subject!r}")
            raise ImportRefused(_refused[-1], place)
        return function(*arguments, **options)

    return watched


def _asking(frame: FrameType | None) -> FrameType | None:
    """The kernel code that this call comes from; None where it is a library being imported, or nobody of the kernel."""
    while frame is not None:
        if is_kernel_frame(frame):
            return frame
        name = frame.f_globals.get("__name__") or ""
        if frame.f_code.co_filename.startswith("<frozen importlib") or name.partition(".")[0] in _READERS:
            return None
        frame = frame.f_back
    return None
