"""Reading what processes that run kernels answer: only records and exceptions of ours are made, whatever is sent, their
texts are harmless, and nobody waits for the rest of a message.

What a kernel sends in place of an answer is pickled too, and Python's pickles can do more than make objects: change
classes and members of enumerations, which all of this process shares, or say in a hundred bytes what takes for ever to
go through.
"""

from __future__ import annotations

import enum
import io
import os
import pickle
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

from nkiverify.foundation.kernel_text import harmless, with_texts

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: The modules of what may be in an answer.
_MODULES = frozenset(
    {
        "nkiverify.products.simulate.simulator",
        "nkiverify.analysis.values.slices",
        "nkiverify.products.equiv.comparison_text",
        "nkiverify.cli.outcome",
        "nkiverify.cli.replay",
        "nkiverify.cli.show",
        "nkiverify.products.simulate.simulation",
        "nkiverify.foundation.errors",
        "nkiverify.foundation.records",
        "nkiverify.foundation.source",
        "nkiverify.frontend.domain.syntax",
        "nkiverify.frontend.language_rules",
        "nkiverify.products.derive.domain_answers",
        "nkiverify.results.session",
        "nkiverify.products.numerics.reported",
        "nkiverify.report.program_text",
        "nkiverify.report.style",
        "nkiverify.run.executors.messages",
        "nkiverify.products.equiv.comparison",
        "nkiverify.products.cost.bound",
        "nkiverify.products.cost.budget",
        "nkiverify.products.cost.lints",
        "nkiverify.products.cost.report",
        "nkiverify.products.cost.spills",
        "nkiverify.products.derive.dead",
        "nkiverify.products.derive.runs",
        "nkiverify.products.derive.statements",
        "nkiverify.products.equiv.gradient_pairing",
        "nkiverify.products.equiv.gradient_runs",
        "nkiverify.products.equiv.gradients",
        "nkiverify.products.repair.patches",
    }
)
#: Bytes that an answer may have.
LARGEST = 256 << 20


def unpickled(content: bytes) -> object:
    """The answer that was pickled, with harmless texts. Raises `pickle.UnpicklingError`, or whatever else, where it is
    none."""
    from nkiverify.foundation.records import checked  # as late as this: of what is remembered nothing is answered

    return with_texts(checked(_Records(io.BytesIO(content)).load()), harmless)


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
                return _sealed(found)
        raise pickle.UnpicklingError(f"{module}.{name} is nothing that is answered")


def _is_data(kind: type) -> bool:
    """True for records, for members of enumerations, and for exceptions, which do nothing when they are made; not for
    SystemExit and its like, which raised here would end this process as a kernel says."""
    if kind.__module__ == "builtins":
        return issubclass(kind, Exception)
    return issubclass(kind, BaseException) or _is_record(kind)


def _is_record(kind: type) -> bool:
    return is_dataclass(kind) or issubclass(kind, enum.Enum)


def _sealed(kind: type) -> type:
    """The class, for which a pickle sets attributes of new objects alone: the function that it asks for to set them
    cannot be called for a class, and refuses for the members of an enumeration."""
    if not hasattr(kind, "__setstate__"):
        setter = _refuse_state if issubclass(kind, enum.Enum) else _set_state
        kind.__setstate__ = setter  # type: ignore[attr-defined]
    return kind


def _refuse_state(member: enum.Enum, state: object) -> None:
    raise pickle.UnpicklingError(f"{member} is what it is")


def _set_state(record: object, state: tuple[dict[str, Any] | None, dict[str, Any]]) -> None:
    """Give a new record its fields, as `pickle` does where nothing else is said."""
    for part in state:
        for name, value in (part or {}).items():
            object.__setattr__(record, name, value)
