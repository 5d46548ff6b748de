"""How places, verdicts and numbers are worded, in every report the same."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from nkiverify.engines.table import SECOND
from nkiverify.foundation.records import KernelWarning, Run, Verdict


@lru_cache(maxsize=4096)
def relative(file: str, root: Path) -> str:
    """`file` relative to `root`, with forward slashes, where it lies inside; as it is otherwise."""
    try:
        return Path(file).relative_to(root).as_posix()
    except ValueError:
        return file


def place(file: str, line: int, root: Path) -> str:
    """A place that editors and terminals understand: `kernels/matmul.py:57`; empty where no file is named."""
    return f"{relative(file, root)}:{line}" if file else ""


def text(words: str, root: Path) -> str:
    """`words` with the places it names relative to `root`, where they lie inside."""
    return words.replace(f"{root}{os.sep}", "")


def verdict(run: Run) -> str:
    """The verdict with its qualifier: `SUCCESSFUL (bounded 8)`."""
    return f"{run.verdict.value} ({run.qualifier})" if run.qualifier else run.verdict.value


def ending(run: Run) -> str:
    """The verdict, with its qualifier where that is a bound: the reason that goes with it says the rest."""
    return verdict(run) if run.is_bounded else run.verdict.value


def phases_of_endings(runs: Iterable[Run]) -> dict[tuple[object, ...], list[int]]:
    """The phases that say the same of one kernel, by `ending_key`: a line for each would hide other lines."""
    found: dict[tuple[object, ...], list[int]] = {}
    for run in runs:
        found.setdefault(ending_key(run), []).append(run.phase)
    return found


def ending_key(run: Run) -> tuple[object, ...]:
    """All that is said of an ending but its phase."""
    return run.target, run.kernel, run.engine, run.expected, ending(run), run.reason, run.place


def first_element(warning: KernelWarning) -> str:
    """The first element that a warning is about, and the iteration: `tile[0, 0], for k = 1`."""
    if not warning.tensor:
        return ""
    element = f"{warning.tensor}[{', '.join(map(str, warning.element))}]" if warning.element else warning.tensor
    loops = ", ".join(loop.value for loop in warning.loops)
    return f"{element}, for {loops}" if loops else element


def because(warning: KernelWarning, root: Path) -> str:
    """The message of a warning, and the first element that it is about, if it is about elements."""
    message, first = text(warning.message, root), first_element(warning)
    return f"{message}: {first}" if first else message


def extent_of(warning: KernelWarning) -> str:
    """For which shapes a warning holds, and the one that a concrete run has shown it on."""
    values = ", ".join(f"{name} = {value}" for name, value in warning.witness.items())
    return (
        f"{warning.holds}; seen by running the kernel for {values}" if values else "for the only shapes of the target"
    )


def expectation(expected: Verdict | None) -> str:
    """The expectation; a dash where nothing was."""
    return expected.value if expected is not None else "-"


def milliseconds(value: float) -> str:
    """Milliseconds to two significant digits or the unit, whichever says more: `8.3`, `41`, `1204`."""
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def duration(run: Run) -> str:
    """The milliseconds a run took, or that it was not run again."""
    return "cached" if run.cached else milliseconds(run.milliseconds)


def counted(number: int, noun: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def phases(numbers: Sequence[int]) -> str:
    """`phase 3`, `phases 1 and 3`, `phases 1, 2 and 4`, `phases 1 to 4`; the numbers rise."""
    if len(numbers) == 1:
        return f"phase {numbers[0]}"
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"phases {numbers[0]} to {numbers[-1]}"
    return f"phases {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def rests_on(runs: Iterable[Run]) -> str:
    """The line that says that verdicts are of the second engine alone, where they are; else nothing."""
    engines = sorted({run.engine for run in runs if run.engine.startswith(SECOND.name)})
    return f"these verdicts rest on {engines[0]} alone: no other engine has looked at them" if engines else ""
