"""`python -m nkiverify.campaign.mutation`: mutants of the good kernels, by the phase that kills them.

A mutant that survives without a bound is also run on ordinary ints, on shapes of its domain: where one of them breaks a
contract, the verdict was wrong, and the command exits 1.
"""

from __future__ import annotations

import argparse
import enum
import json
import random
import resource
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from tabulate import tabulate

from nkiverify import resources
from nkiverify.campaign.computed import compared
from nkiverify.campaign.operators import OPERATORS, Mutant, Site, sites
from nkiverify.campaign.subject import OutOfTime, concrete, fails, forget, time_limit
from nkiverify.config import Options
from nkiverify.errors import UnsupportedConstruct
from nkiverify.exploration import explore
from nkiverify.frontend.paths import Limits
from nkiverify.manifest import Target, load_targets
from nkiverify.model.hardware import hardware_named
from nkiverify.program import DomainDimension
from nkiverify.results import Kind, Run, Verdict
from nkiverify.run import SHAPE_PHASES
from nkiverify.verifier import verify

#: The phases that may kill a mutant.
PHASES = (1, 2, 3, 4)

#: Seconds for the verdicts of one mutant, and for everything about it.
VERDICT_SECONDS = 10.0
MUTANT_SECONDS = 30.0

#: How many shapes a survivor is run on, and how many are looked at to find them.
SHAPES = 12
SHAPES_LOOKED_AT = 400

MEMORY_BYTES = 4 << 30


class Fate(enum.Enum):
    """What became of a mutant."""

    KILLED_1 = "killed by phase 1"
    KILLED_2 = "killed by phase 2"
    KILLED_3 = "killed by phase 3"
    KILLED_4 = "killed by phase 4"
    VALUES = "computes something else"
    EQUIVALENT = "equivalent"
    SURVIVED = "survived"
    BOUNDED = "survived (bounded)"
    UNKNOWN = "unknown"
    BROKEN = "no target"
    DEFECT = "DEFECT"


_KILLED = {1: Fate.KILLED_1, 2: Fate.KILLED_2, 3: Fate.KILLED_3, 4: Fate.KILLED_4}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One mutant and its fate."""

    target: str
    mutant: Mutant
    fate: Fate
    detail: str


def good_targets(targets: Sequence[Target], pattern: str) -> list[Target]:
    """For every good kernel the widest target: without bounds, or else symbolic, with all phases."""
    widest: dict[str, Target] = {}
    for target in targets:
        good = target.expect.get(1) is Verdict.SUCCESSFUL and target.kind in (Kind.UNBOUNDED, Kind.SYMBOLIC)
        if not good or not (fnmatch(target.name, pattern) or fnmatch(target.family, pattern)):
            continue
        known = widest.get(target.kernel)
        if known is None or _width(target) > _width(known):
            widest[target.kernel] = target
    return list(widest.values())


def _width(target: Target) -> tuple[bool, bool, bool]:
    return ("asym" in target.name, target.kind is Kind.UNBOUNDED, target.name.endswith("_all"))


@contextmanager
def mutated(target: Target, mutant: Mutant) -> Iterator[Target]:
    """The target on the mutated kernel, in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="nkiverify-mutant-"))
    try:
        file = target.kernel.partition("::")[0]
        shutil.copytree(
            (target.root / file).parent, (folder / file).parent, ignore=shutil.ignore_patterns("__pycache__")
        )
        (folder / file).write_text(mutant.source, encoding="utf-8")
        yield replace(target, root=folder)
    finally:
        forget(folder)
        shutil.rmtree(folder, ignore_errors=True)


def domain_of(target: Target) -> list[DomainDimension]:
    """The dimensions of the target."""
    return explore(target, hardware_named(target.hardware), Limits(seconds=30.0)).run.program.dimensions


def shapes(dimensions: Sequence[DomainDimension], source: random.Random) -> Iterator[dict[str, int]]:
    """Values for the dimensions, small ones first."""
    for attempt in range(SHAPES_LOOKED_AT):
        reach = 1 + attempt // 20
        values: dict[str, int] = {}
        for dimension in dimensions:
            step = dimension.multiple_of
            least = -(-dimension.low // step)
            most = dimension.high // step if dimension.high is not None else least + 4000
            values[dimension.atom.name] = step * min(
                most, least + source.choice((0, 1, 2, source.randrange(reach + 1), source.randrange(reach * 5 + 1)))
            )
        yield values


def try_mutant(target: Target, mutant: Mutant, dimensions: Sequence[DomainDimension]) -> Outcome:
    """The fate of one mutant."""
    with mutated(target, mutant) as changed:
        try:
            with time_limit(MUTANT_SECONDS):
                runs = verify(changed, Options(root=changed.root, phases=PHASES, timeout=VERDICT_SECONDS))
                fate, detail = _fate(runs)
                held = [run.phase for run in runs if run.verdict is Verdict.SUCCESSFUL and not run.qualifier]
                # What a plain run breaks of memory and dataflow, the tests of those phases compare.
                successful = [phase for phase in held if phase in SHAPE_PHASES]
                if fate is not Fate.DEFECT and successful:
                    wrong = _failing_shape(changed, successful, dimensions, mutant)
                    if wrong:
                        return Outcome(target.name, mutant, Fate.DEFECT, f"SUCCESSFUL, but {wrong}")
        except OutOfTime:
            return Outcome(target.name, mutant, Fate.UNKNOWN, "time limit of the campaign")
        if fate in (Fate.SURVIVED, Fate.BOUNDED, Fate.UNKNOWN):
            fate, detail = _by_values(target, changed, dimensions, mutant, fate, detail)
    return Outcome(target.name, mutant, fate, detail)


def _by_values(
    target: Target, changed: Target, dimensions: Sequence[DomainDimension], mutant: Mutant, fate: Fate, detail: str
) -> tuple[Fate, str]:
    """What running kernel and mutant on numbers says of one that breaks no contract, as far as the phases tell."""
    if mutant.operator == "precondition removed" and fate is Fate.SURVIVED:
        # The assert that is gone was proved for all shapes of the domain: it decides nothing there.
        return Fate.EQUIVALENT, "the assert always holds on the domain of the target"
    try:
        with time_limit(MUTANT_SECONDS):
            same, reason = compared(target, changed, shapes(dimensions, random.Random(mutant.change)))
    except OutOfTime:
        return fate, f"{detail}; no time to compare values".strip("; ")
    if same is None:
        return fate, f"{detail}; {reason}".strip("; ")
    if same and fate is not Fate.SURVIVED:
        return fate, detail
    return (Fate.EQUIVALENT if same else Fate.VALUES), reason


def _fate(runs: Sequence[Run]) -> tuple[Fate, str]:
    for run in runs:
        if run.verdict is Verdict.FAILED:
            contracts = ", ".join(dict.fromkeys(violation.contract for violation in run.violations))
            if run.qualifier:
                shown = "; ".join(f"{v.contract} line {v.line} {v.witness} {v.message}" for v in run.violations)
                return Fate.DEFECT, f"FAILED ({run.qualifier}): {shown}"
            return _KILLED[run.phase], contracts
        if run.verdict is Verdict.ERROR:
            # The target function itself may not get along with what the mutant returns.
            return (Fate.DEFECT if run.traceback else Fate.BROKEN), f"{run.reason} {run.traceback[-600:]}".strip()
        if run.verdict is Verdict.UNKNOWN:
            return Fate.UNKNOWN, run.reason
        if run.verdict is Verdict.VACUOUS and run.phase == 1:
            return Fate.UNKNOWN, f"VACUOUS: {run.reason}"
    bounded = [run.qualifier for run in runs if run.qualifier]
    return (Fate.BOUNDED, bounded[0]) if bounded else (Fate.SURVIVED, "")


def _failing_shape(target: Target, phases: Sequence[int], dimensions: Sequence[DomainDimension], mutant: Mutant) -> str:
    source = random.Random(mutant.change)
    tried: set[tuple[int, ...]] = set()
    legal = 0
    for values in shapes(dimensions, source):
        if tuple(values.values()) in tried:
            continue
        tried.add(tuple(values.values()))
        played = concrete(target, values)
        if played.excluded:
            continue
        for phase in phases:
            if fails(played, phase):
                rules = ", ".join(f"{b.contract.id} at {b.site}" for b in played.broken[:3])
                return f"{values} fails in phase {phase}: {rules} {played.raised!r}"
        legal += 1
        if legal >= SHAPES:
            break
    return ""


def sample(target: Target, each: int, seed: int) -> list[Mutant]:
    """At most `each` mutants per operator."""
    file, _, kernel = target.kernel.partition("::")
    source = (target.root / file).read_text(encoding="utf-8")
    by_operator: dict[str, list[Site]] = {name: [] for name in OPERATORS}
    for site in sites(source, kernel):
        by_operator[site.operator].append(site)
    chosen: list[Site] = []
    for name, found in by_operator.items():
        chosen.extend(
            found if len(found) <= each else random.Random(f"{seed}/{target.name}/{name}").sample(found, each)
        )
    return [site.mutant() for site in chosen]


def campaign(targets: Sequence[Target], each: int, seed: int, log: Path | None) -> list[Outcome]:
    """The fates of the mutants of `targets`."""
    outcomes: list[Outcome] = []
    for target in targets:
        try:
            dimensions = domain_of(target)
        except UnsupportedConstruct as limit:
            print(f"{target.name}: {limit}", file=sys.stderr)
            continue
        mine = [try_mutant(target, mutant, dimensions) for mutant in sample(target, each, seed)]
        outcomes.extend(mine)
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                for one in mine:
                    row = (
                        one.target,
                        one.mutant.operator,
                        one.mutant.line,
                        one.mutant.change,
                        one.fate.name,
                        one.detail,
                    )
                    file.write(json.dumps(row) + "\n")
        fates = Counter(one.fate.value for one in mine)
        print(f"{target.name}: {len(mine)} mutants, {dict(fates)}", file=sys.stderr, flush=True)
    return outcomes


def report(outcomes: Sequence[Outcome]) -> str:
    """Tables per operator and per kernel, then the survivors and the defects."""
    met = [fate for fate in Fate if any(one.fate is fate for one in outcomes)]
    headings = ["mutants", *(fate.value for fate in met)]
    parts = [
        tabulate(_rows(outcomes, met, lambda one: one.mutant.operator), ["operator", *headings], tablefmt="github"),
        tabulate(_rows(outcomes, met, lambda one: one.target), ["target", *headings], tablefmt="github"),
        _score(outcomes),
    ]
    for fate in (Fate.SURVIVED, Fate.BOUNDED, Fate.UNKNOWN, Fate.BROKEN, Fate.DEFECT):
        listed = [one for one in outcomes if one.fate is fate]
        if listed:
            lines = [
                f"{one.target}:{one.mutant.line} {one.mutant.operator}: {one.mutant.change}  {one.detail}"
                for one in listed
            ]
            parts.append("\n".join([f"{fate.value}:", *lines]))
    return "\n\n".join(parts)


def _score(outcomes: Sequence[Outcome]) -> str:
    """How many of the mutants that are not equivalent were killed, by the phases, and with values."""
    telling = [one for one in outcomes if one.fate not in (Fate.EQUIVALENT, Fate.BROKEN)]
    phases = sum(one.fate in _KILLED.values() for one in telling)
    values = sum(one.fate is Fate.VALUES for one in telling)
    return f"of {len(telling)} mutants that are not equivalent: {phases} killed by the phases, {values} by values"


def _rows(outcomes: Sequence[Outcome], met: Sequence[Fate], key: Callable[[Outcome], str]) -> list[list[object]]:
    rows: dict[str, Counter[Fate]] = {}
    for one in outcomes:
        rows.setdefault(key(one), Counter())[one.fate] += 1
    rows["**all**"] = Counter(one.fate for one in outcomes)
    return [[name, sum(counts.values()), *(counts[fate] or "" for fate in met)] for name, counts in rows.items()]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m nkiverify.campaign.mutation", description=__doc__)
    parser.add_argument("--kernel", default="*", help="a pattern for the targets or families")
    parser.add_argument("--each", type=int, default=3, help="how many mutants per operator and kernel")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--log", type=Path, help="a file to which every mutant is appended, one JSON list a line")
    options = parser.parse_args(arguments)
    targets = good_targets(load_targets(resources.root()), options.kernel)
    if not targets:
        parser.error(f"no good target fits {options.kernel}")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    outcomes = campaign(targets, options.each, options.seed, options.log)
    print(report(outcomes))
    return 1 if any(one.fate is Fate.DEFECT for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
