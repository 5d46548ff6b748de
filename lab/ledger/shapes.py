"""Concrete shapes of what a newer tool calls proved and an older one left open."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

from lab.ledger.lines import Line
from lab.ledger.subjects import FUZZ_SECONDS, Subject, subjects
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.stated import phase_of
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import hardware_named
from nkiverify.products.derive.runs import ShapeOutcome, shown
from nkiverify.project.manifest_targets import load_targets
from nkiverify.project.request import request
from nkiverify.verify.domain_parts import Candidates
from nkiverify.verify.exploration import explore

#: Shapes of each, and seconds for one.
SHAPES, _SECONDS = 200, 3.0
_LARGEST = 4096


def contradictions(
    proved: Sequence[tuple[str, str]], after: Mapping[str, Line], folder: Path, cases: Path
) -> Iterator[str]:
    """A line for each of the subjects, of which a phase is SUCCESSFUL now: shapes that were run, or one that fails."""
    known = {one.name: one for one in subjects(folder, (), cases if cases.is_dir() else None)}
    for name, phase in proved:
        if after[name].phases[phase].verdict != "SUCCESSFUL":
            continue
        try:
            target = _target(name, known, after[name])
            yield f"{name} {phase}: no shapes of it can be run here" if target is None else _tried(name, phase, target)
        except (UsageError, UnsupportedConstruct) as error:
            yield f"{name} {phase}: no shapes of it can be run: {error}"


def _target(name: str, known: Mapping[str, Subject], line: Line) -> Target | None:
    """The target that a subject is, where its command says its domain."""
    batch, _, own = name.partition("/")
    if batch in ("manifest", "fuzz", "host_code"):
        return next((one for one in load_targets(known[batch].folder) if one.name == own), None)
    subject = known.get(name)
    if subject is None or subject.words[0] != "check" or "::" not in subject.words[1]:
        return None
    words = subject.words
    given = [words[at + 1] for at, word in enumerate(words) if word == "--arg"]
    where = [words[at + 1] for at, word in enumerate(words) if word == "--where"]
    grid = next((words[at + 1] for at, word in enumerate(words) if word == "--grid"), None)
    hardware = next((words[at + 1] for at, word in enumerate(words) if word == "--target"), "trn2")
    return request(words[1], subject.folder, given, where, grid).target(hardware, False) if given else None


def _tried(name: str, phase: str, target: Target) -> str:
    hardware = hardware_named(target.hardware)
    exploration = explore(target, hardware, Limits(seconds=FUZZ_SECONDS))
    candidates = Candidates(exploration.run.program, exploration.assumptions)
    dimensions = candidates.shapes.dimensions
    source = random.Random(name)
    drawn = (
        {one.atom.name: source.choice((1, 2, 3, 8, 64, 127, 128, 129, 256, source.randint(1, _LARGEST)))
         for one in dimensions}
        for _ in range(SHAPES)
    )  # fmt: skip
    run = outside = 0
    for values in islice(chain(candidates.tried(lambda: 2.0, lambda: True, lambda: False), drawn), 3 * SHAPES):
        found = shown(target, values, hardware, _SECONDS)
        outside += found.kind is ShapeOutcome.OUTSIDE
        if found.kind is ShapeOutcome.FAILS and (found.rule is None or str(phase_of(found.rule)) == phase):
            # What another phase is about is no matter of this one's verdict.
            rule = found.rule.id if found.rule is not None else found.text
            return f"WRONG {name} {phase}: {values} breaks {rule} at {found.site}"
        run += found.kind is ShapeOutcome.PASSES
        if run == SHAPES or not dimensions:
            break
    return f"{name} {phase}: {run} shapes run, none fails"
