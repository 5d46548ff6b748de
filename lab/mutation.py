"""`python -m lab.mutation`: mutants of the good kernels, by the phase that kills them.

A mutant that survives without a bound is also run on ordinary ints, on shapes of its domain: where one of them breaks a
contract of a phase that is SUCCESSFUL, the verdict was wrong, and the command exits 1. Whether a survivor computes what
the kernel computes is asked of `nkiverify equiv`.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from fnmatch import fnmatch
from pathlib import Path

from lab import mutation_tables
from lab.fates import Fate, MutantResult, digest, subject_of, try_mutant
from lab.operators import OPERATORS, Mutant, MutationPoint, sites
from nkiverify.foundation import resources
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.foundation.records import Kind, Verdict
from nkiverify.frontend.target import Target
from nkiverify.project.manifest_targets import load_targets
from nkiverify.verify.options import DEFAULT_PHASES

MEMORY_BYTES = 6 << 30

#: Kinds of targets that say something about a kernel as it is, the widest first.
_WIDTH = (Kind.UNBOUNDED, Kind.SYMBOLIC, Kind.CONCRETE)


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


def companions(target: Target, targets: Sequence[Target]) -> list[tuple[int, Target]]:
    """For each phase that `target` expects nothing of, the widest target of its kernel that is SUCCESSFUL in it; this
    one, where none is, if it is after all."""
    found = []
    for phase in DEFAULT_PHASES:
        others = [
            one
            for one in targets
            if one.kernel == target.kernel and one.kind in _WIDTH and one.expect.get(phase) is Verdict.SUCCESSFUL
        ]
        if phase not in target.expect:
            itself = replace(target, expect={phase: Verdict.SUCCESSFUL})
            found.append((phase, min(others, key=lambda one: _WIDTH.index(one.kind), default=itself)))
    return found


def sample(target: Target, each: int, seed: int) -> list[Mutant]:
    """At most `each` mutants per operator."""
    file, _, kernel = target.kernel.partition("::")
    source = (target.root / file).read_text(encoding="utf-8")
    by_operator: dict[str, list[MutationPoint]] = {name: [] for name in OPERATORS}
    for site in sites(source, kernel):
        by_operator[site.operator].append(site)
    chosen: list[MutationPoint] = []
    for name, found in by_operator.items():
        chosen.extend(
            found if len(found) <= each else random.Random(f"{seed}/{target.name}/{name}").sample(found, each)
        )
    return [site.mutant() for site in chosen]


def campaign(
    targets: Sequence[Target], every: Sequence[Target], each: int, seed: int, log: Path | None
) -> list[MutantResult]:
    """The fates of the mutants of `targets`; those that `log` has are taken from there, and the others added to it."""
    known = {(one.target, one.operator, one.line, one.change, one.digest): one for one in logged(log)}
    outcomes: list[MutantResult] = []
    for target in targets:
        mine: list[MutantResult] = []
        subject = None
        for mutant in sample(target, each, seed):
            key = (target.name, mutant.operator, mutant.line, mutant.change, digest(mutant))
            outcome = known.get(key)
            if outcome is None:
                try:
                    subject = subject or subject_of(target, companions(target, every))
                except UnsupportedConstruct as limit:
                    print(f"{target.name}: {limit}", file=sys.stderr)
                    break
                outcome = try_mutant(subject, mutant)
                _append(log, outcome)
            mine.append(outcome)
        outcomes.extend(mine)
        fates = Counter(one.fate.value for one in mine)
        print(f"{target.name}: {len(mine)} mutants, {dict(fates)}", file=sys.stderr, flush=True)
    return outcomes


def logged(log: Path | None) -> list[MutantResult]:
    """The outcomes that a log has; a line that was cut off while it was written is passed over."""
    if log is None or not log.exists():
        return []
    found = []
    for line in log.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        found.append(MutantResult(**{**row, "fate": Fate[row["fate"]]}))
    return found


def _append(log: Path | None, outcome: MutantResult) -> None:
    if log is not None:
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**asdict(outcome), "fate": outcome.fate.name}, ensure_ascii=False) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m lab.mutation", description=__doc__)
    parser.add_argument("--kernel", default="*", help="a pattern for the targets or families")
    parser.add_argument("--each", type=int, default=3, help="how many mutants per operator and kernel")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument(
        "--log",
        type=Path,
        help="a file to which every mutant is appended as soon as its fate is known, one JSON object a line; those "
        "that it has already are not tried again (remove it when the checker has changed)",
    )
    parser.add_argument("--logged", action="store_true", help="report on what the log has, and try no other mutants")
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="put the tables into the section `mutants` of a Markdown file"
    )
    options = parser.parse_args(arguments)
    every = load_targets(resources.root())
    targets = good_targets(every, options.kernel)
    if not targets:
        parser.error(f"no good target fits {options.kernel}")
    try:
        page = "" if options.write is None else options.write.read_text(encoding="utf-8")
        if options.write is not None:
            mutation_tables.with_tables(page, [])
    except (OSError, UsageError) as error:
        parser.error(f"{options.write}: {error}")
    if options.logged:
        names = {target.name for target in targets}
        outcomes = [one for one in logged(options.log) if one.target in names]
    else:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        outcomes = campaign(targets, every, options.each, options.seed, options.log)
    print(mutation_tables.report(outcomes))
    if options.write is not None:
        options.write.write_text(mutation_tables.with_tables(page, outcomes), encoding="utf-8")
    return 1 if any(one.fate is Fate.DEFECT for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
