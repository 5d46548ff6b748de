"""The findings of a campaign of mutants, as tables and lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from tabulate import tabulate

from lab.audit import with_measured_section
from lab.fates import KILLED, PROVED, Fate, MutantResult

#: The section of a Markdown file that the tables are written into (`lab.audit`).
SECTION = "mutants"

#: Fates that are listed mutant by mutant.
_LISTED = (Fate.SURVIVED, Fate.BOUNDED, Fate.UNKNOWN, Fate.BROKEN, Fate.DEFECT)


def report(outcomes: Sequence[MutantResult]) -> str:
    """Tables per operator and per kernel, then the survivors and the defects."""
    parts = [
        _table(outcomes, "operator", lambda one: one.operator),
        _table(outcomes, "target", lambda one: one.target),
        score(outcomes),
    ]
    for fate in _LISTED:
        listed = [one for one in outcomes if one.fate is fate]
        if listed:
            lines = [f"{one.target}:{one.line} {one.operator}: {one.change}  {one.detail}" for one in listed]
            parts.append("\n".join([f"{fate.value}:", *lines]))
    return "\n\n".join(parts)


def score(outcomes: Sequence[MutantResult]) -> str:
    """How many of the mutants that are not equivalent were killed, by the phases, and with values; how many are proved
    equivalent."""
    telling = [one for one in outcomes if one.fate not in (Fate.EQUIVALENT, Fate.BROKEN)]
    phases = sum(one.fate in KILLED.values() for one in telling)
    values = sum(one.fate is Fate.VALUES for one in telling)
    share, alone = (f" ({count / len(telling):.1%})" if telling else "" for count in (phases + values, phases))
    equivalent = [one for one in outcomes if one.fate is Fate.EQUIVALENT]
    proved = sum(one.detail.startswith(PROVED) for one in equivalent)
    legal = len(telling) - values
    of_phases = f" ({phases / legal:.1%})" if legal else ""
    return (
        f"{len(telling)} of {len(outcomes)} mutants are not equivalent: {phases}{alone} are killed by the phases and "
        f"{values} by values, {phases + values} in all{share}. Of the {legal} that are not told by their values alone, "
        f"the phases kill {phases}{of_phases}. Of the {len(equivalent)} equivalent ones {proved} are proved to be."
    )


def _table(outcomes: Sequence[MutantResult], heading: str, key: Callable[[MutantResult], str]) -> str:
    met = [fate for fate in Fate if any(one.fate is fate for one in outcomes)]
    rows: dict[str, Counter[Fate]] = {}
    for one in outcomes:
        rows.setdefault(key(one), Counter())[one.fate] += 1
    rows["**all**"] = Counter(one.fate for one in outcomes)
    cells = [[name, sum(counts.values()), *(counts[fate] or "" for fate in met)] for name, counts in rows.items()]
    return tabulate(cells, [heading, "mutants", *(fate.value for fate in met)], tablefmt="github")


def with_tables(text: str, outcomes: Sequence[MutantResult]) -> str:
    """The text of a Markdown file with the tables in its section. Raises `UsageError` where it has none."""
    parts = [
        _table(outcomes, "operator", lambda one: one.operator),
        _table(outcomes, "target", lambda one: one.target),
        score(outcomes),
    ]
    return with_measured_section(text, SECTION, "\n\n".join(parts))
