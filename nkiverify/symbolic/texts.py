"""Text being made of symbolic values: it is no text of any one value, and kernel code gets it guarded only."""

from __future__ import annotations

from types import FrameType

from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.execution import execution_in_progress, unsupported

#: Modules that apply operators and functions for kernel code, to text as well.
_COMPUTES_FOR_KERNEL = frozenset(
    f"nkiverify.{name}"
    for name in (
        *("frontend.builtins", "frontend.host_integers", "frontend.iterators", "frontend.numeric_modules"),
        *("frontend.slots", "symbolic.lists"),
    )
)


def only_shows(frame: FrameType) -> bool:
    """True if what executes makes text to be shown, rather than to be used as data."""
    caller: FrameType | None = frame
    while caller is not None and caller.f_globals.get("__name__") in _COMPUTES_FOR_KERNEL:
        caller = caller.f_back
    package = str(caller.f_globals.get("__name__", "")).partition(".")[0] if caller is not None else ""
    return package in ("nkiverify", "nki", "neuronxcc", "logging", "traceback", "warnings")


class TextConversion:
    """Text being made of a value: if any is, if something symbolic has gone into it, and which integers."""

    active = 0
    symbolic = False
    integers: tuple[Term, ...] = ()


def guarded(text: str, stands_for: type, frame: FrameType) -> str:
    """`text`, that of a symbolic value, which is not Python's: guarded where text is made of it in `frame`, and
    unsupported where that would be data."""
    if TextConversion.active:
        TextConversion.symbolic = True
    elif execution_in_progress() is not None and not only_shows(frame):
        raise unsupported(f"text made from a symbolic {stands_for.__name__}", "use an f-string")
    return text
