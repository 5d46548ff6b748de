"""Reading what processes that run kernels answer: only records and exceptions of ours are made, whatever is sent."""

from __future__ import annotations

import enum
import io
import pickle
from dataclasses import is_dataclass

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
