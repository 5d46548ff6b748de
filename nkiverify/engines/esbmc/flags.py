"""The flags of a target, as far as they are for ESBMC."""

from __future__ import annotations

import enum
import re
import shlex

from nkiverify.engines.esbmc.locate import Solver
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError


class Strategy(enum.Enum):
    """How ESBMC treats loops that it is given as loops."""

    BOUNDED = "bounded"
    K_INDUCTION = "k-induction"
    INCREMENTAL = "incremental-bmc"


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags, read. None where the flag is not there."""

    unwind: int | None = None
    strategy: Strategy = Strategy.BOUNDED
    solver: Solver | None = None
    overflow_check: bool = False
    multi_property: bool = False
    timeout: float | None = None


#: What unsound or senseless flags would do, by name: said to whoever writes them into a target.
REFUSED = {
    "no-unwinding-assertions": "a loop cut off at its bound would count as verified",
    "partial-loops": "a loop cut off at its bound would count as verified",
    "no-assertions": "nothing would be checked",
}

_TIME = re.compile(r"(\d+)([smh]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def read(text: str) -> Flags:
    """The flags of a target. Raises `UsageError` for one that is not known, or that would make a verdict worthless."""
    unwind: int | None = None
    strategy = Strategy.BOUNDED
    solver: Solver | None = None
    timeout: float | None = None
    overflow_check = multi_property = False
    words = iter(_words(text))
    for word in words:
        name, separator, value = word.removeprefix("--").partition("=")
        if not word.startswith("--"):
            raise UsageError(f"the flags {text!r} of a target: {word!r} is no flag")
        if name in REFUSED:
            raise UsageError(f"the flags {text!r} of a target: --{name} is refused, since {REFUSED[name]}")
        if name in ("unwind", "timeout"):
            value = value if separator else next(words, "")
            if name == "unwind":
                unwind = _bound(value, text)
            else:
                timeout = _seconds(value, text)
        elif separator:
            raise UsageError(f"the flags {text!r} of a target: --{name} takes no value")
        elif name in (Strategy.K_INDUCTION.value, Strategy.INCREMENTAL.value):
            strategy = Strategy(name)
        elif name in [known.value for known in Solver]:
            solver = Solver(name)
        elif name == "overflow-check":
            overflow_check = True
        elif name == "multi-property":
            multi_property = True
        else:
            raise UsageError(f"the flags {text!r} of a target: --{name} is not among those a target can have")
    return Flags(unwind, strategy, solver, overflow_check, multi_property, timeout)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"the flags {text!r} of a target: {error}") from None


def _bound(value: str, text: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        raise UsageError(f"--unwind needs a positive integer, in the flags {text!r}")
    return int(value)


def _seconds(value: str, text: str) -> float:
    time = _TIME.fullmatch(value)
    if time is None or int(time[1]) < 1:
        raise UsageError(f"--timeout needs a number of seconds such as 30s or 2m, in the flags {text!r}")
    return float(int(time[1]) * _SECONDS[time[2]])
