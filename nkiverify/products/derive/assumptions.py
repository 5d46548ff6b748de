"""Other dtypes than those that are assumed first, for a kernel that breaks a contract about dtypes for every shape.

Of a parameter of which nothing tells the dtype the model knows more than its text: with a dtype that is not documented
for an operand that it reaches, a concrete run breaks a contract there, with another one it comes further. What is
chosen so is an assumption as the first one was, and is said as one; what else is wrong with the kernel stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from nkiverify.foundation.budget import DerivingBudget
from nkiverify.foundation.clock import now
from nkiverify.frontend.target import Target
from nkiverify.model.dtypes import DType
from nkiverify.model.hardware import Hardware
from nkiverify.products.derive.runs import ConcreteResult, ShapeOutcome, shown
from nkiverify.project.inference import Inferred

#: Dtypes in the order in which they are tried.
_TRIED = (
    *("f32", "bf16", "f16", "u8", "u32", "i32", "u16", "i16", "i8"),
    *("float8_e5m2_x4", "float8_e4m3fn_x4", "float4_e2m1fn_x4"),
    *("float8_e5m2", "float8_e4m3", "float8_e4m3fn", "float8_e8m0fnu"),
)
#: Rules about tables of indices, which mostly hold integers of this dtype.
_OF_INDICES = frozenset(("ap.scalar_offset", "ap.vector_offset", "view.select_dynamic", "view.vector_select"))
_INDICES = "i32"
#: The dtype with which is looked which operands a parameter reaches: few contracts allow it.
_PROBE = "u16"


def other_dtypes(
    found: Inferred,
    target_for: Callable[[Mapping[str, str]], Target],
    shapes: Sequence[Mapping[str, int]],
    hardware: Hardware,
    seconds: float,
) -> dict[str, str]:
    """The dtypes with which the kernel comes further, on the one of `shapes` that comes furthest as it is, by the names
    of the arguments; empty where none does, or where it is no contract about dtypes that it breaks first.

    `target_for` gives the target with some dtypes; in `seconds`, or when its steps are used up, the best one so far is
    taken.
    """
    search = _Search(target_for, hardware, now() + seconds)
    at = max((search.run(shape, {}) for shape in shapes), key=_progress, default=None)
    chosen: dict[str, str] = {}
    for _ in range(DerivingBudget.CHANGES):
        better = search.better(at, chosen, (*found.dtypes, *found.tensors)) if at is not None else None
        if better is None:
            break
        chosen, at = better
    return search.smallest(at, chosen) if at is not None else chosen


def progress(target: Target, shape: Mapping[str, int], hardware: Hardware, seconds: float) -> tuple[bool, int, int]:
    """How far the kernel comes at a shape, in at most this many `seconds`."""
    return _progress(shown(target, shape, hardware, seconds, steps=DerivingBudget.STEPS_OF_A_RUN))


class _Search:
    """Runs one shape with dtypes."""

    def __init__(self, target_for: Callable[[Mapping[str, str]], Target], hardware: Hardware, deadline: float) -> None:
        self._target_for = target_for
        self._hardware = hardware
        self._deadline = deadline
        self._left = DerivingBudget.STEPS_OF_LARGE_RUNS

    @property
    def late(self) -> bool:
        """True if no steps are left, or the time is over."""
        return self._left <= 0 or now() > self._deadline

    def run(self, values: Mapping[str, int], dtypes: Mapping[str, str]) -> ConcreteResult:
        """The run of a shape."""
        seconds = max(0.0, self._deadline - now())
        found = shown(self._target_for(dtypes), values, self._hardware, seconds, steps=DerivingBudget.STEPS_OF_A_RUN)
        self._left -= found.steps
        return found

    def better(
        self, at: ConcreteResult, chosen: dict[str, str], names: Sequence[str]
    ) -> tuple[dict[str, str], ConcreteResult] | None:
        """The first dtypes of those of `names` that the broken contract is about with which the shape comes further:
        the same one for all, or one for one of them."""
        if not _is_about_dtypes(at):
            return None
        reaching = [name for name in names if _tells(at, self.run(at.values, {**chosen, name: _PROBE}))]
        groups = dict.fromkeys((tuple(reaching), *((name,) for name in reaching)))
        first = (_INDICES,) if at.key[0] in _OF_INDICES else ()
        for group, dtype in product(groups, (*first, *_TRIED)):
            dtypes = {**chosen, **dict.fromkeys(group, dtype)}
            if self.late:
                return None
            found = self.run(at.values, dtypes)
            if _progress(found) > _progress(at):
                return dtypes, found
        return None

    def smallest(self, at: ConcreteResult, chosen: dict[str, str]) -> dict[str, str]:
        """`chosen` without what is not needed to come as far."""
        for name in chosen:
            fewer = {one: dtype for one, dtype in chosen.items() if one != name}
            if not self.late and _progress(self.run(at.values, fewer)) >= _progress(at):
                chosen = fewer
        return chosen


def _tells(at: ConcreteResult, other: ConcreteResult) -> bool:
    """True if the dtype in which two runs differ is one that the contract which the first one breaks is about."""
    closer, before = _progress(other), _progress(at)
    return closer > before or (closer == before and at.key == other.key and at.quantities != other.quantities)


def _progress(found: ConcreteResult) -> tuple[bool, int, int]:
    """How far a run comes: whether it passes, how many lines, and how little is wrong at the one where it fails."""
    if found.kind is ShapeOutcome.UNTOLD or found.kind is ShapeOutcome.OUTSIDE:
        return False, -1, 0
    return found.kind is ShapeOutcome.PASSES, found.reached, -found.broken


def _is_about_dtypes(found: ConcreteResult) -> bool:
    """True if the contract that is broken first compares dtypes."""
    return any(_has_dtype(value) for _, value in found.quantities)


def _has_dtype(value: object) -> bool:
    return any(map(_has_dtype, value)) if isinstance(value, tuple) else isinstance(value, DType)
