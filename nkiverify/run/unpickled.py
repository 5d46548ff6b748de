"""Reading what processes that run kernels answer: only records and exceptions of ours are made, whatever is sent, and
nobody waits for the rest of a message."""

from __future__ import annotations

import enum
import io
import os
import pickle
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: The modules of what may be in an answer.
_MODULES = frozenset(
    {
        "nkiverify.analysis.values.simulator",
        "nkiverify.analysis.values.slices",
        "nkiverify.cli.equivalence_text",
        "nkiverify.cli.outcome",
        "nkiverify.cli.replay",
        "nkiverify.cli.show",
        "nkiverify.cli.simulation",
        "nkiverify.foundation.errors",
        "nkiverify.foundation.records",
        "nkiverify.foundation.source",
        "nkiverify.frontend.domain.syntax",
        "nkiverify.frontend.language_rules",
        "nkiverify.results.answers",
        "nkiverify.results.session",
        "nkiverify.phases.numerics.told",
        "nkiverify.run.executors.processes",
        "nkiverify.verify.comparison",
        "nkiverify.verify.derive.runs",
        "nkiverify.verify.derive.statements",
        "nkiverify.verify.gradient_pairing",
        "nkiverify.verify.gradient_runs",
        "nkiverify.verify.gradients",
    }
)
#: Bytes that an answer may have.
LARGEST = 256 << 20


def unpickled(content: bytes) -> object:
    """The answer that was pickled. Raises `pickle.UnpicklingError`, or whatever else, where it is none."""
    return _Records(io.BytesIO(content)).load()


class Inbox:
    """The messages that arrive at a connection whose other end a kernel may write to, in parts as they come."""

    #: Bytes that are read at a time, and those of a message that say how long it is.
    _CHUNK, _HEADER = 1 << 20, 4

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._content = bytearray()
        #: False once nobody can write to it any more.
        self.is_open = True

    @property
    def has_more(self) -> bool:
        """True if something has arrived that is in no message yet."""
        return bool(self._content) or (self.is_open and self._connection.poll())

    def receive(self) -> None:
        """Take what has arrived, if something has; wait for nothing."""
        if not self.is_open or not self._connection.poll():
            return
        try:
            part = os.read(self._connection.fileno(), self._CHUNK)
        except ConnectionResetError:
            part = b""
        self.is_open = bool(part)
        self._content += part

    def messages(self) -> Iterator[bytes]:
        """Those that are whole, each once: written as `Connection` does, the length before the bytes. Raises `OSError`
        where one is too large."""
        while len(self._content) >= self._HEADER:
            length = int.from_bytes(self._content[: self._HEADER], "big", signed=True)
            if not 0 <= length <= LARGEST:
                raise OSError("a message that is too large")
            end = self._HEADER + length
            if len(self._content) < end:
                return
            message = bytes(self._content[self._HEADER : end])
            del self._content[:end]
            yield message


class _Records(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> type:
        if module == "builtins" or module in _MODULES:
            try:
                found = super().find_class(module, name)
            except AttributeError:
                found = None
            if isinstance(found, type) and found.__module__ == module and _is_data(found):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is nothing that is answered")


def _is_data(kind: type) -> bool:
    """True for records, for members of enumerations, and for exceptions, which do nothing when they are made; not for
    SystemExit and its like, which raised here would end this process as a kernel says."""
    if kind.__module__ == "builtins":
        return issubclass(kind, Exception)
    return issubclass(kind, BaseException) or _is_record(kind)


def _is_record(kind: type) -> bool:
    return is_dataclass(kind) or issubclass(kind, enum.Enum)
