"""The fate of a mutant: which phase kills it, or what concrete runs and values say of one that no phase kills."""

from __future__ import annotations

import enum
import hashlib
import random
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from lab.computed import ILLEGAL, compared
from lab.operators import Mutant
from lab.same_operations import program_of, same_operations
from lab.subject import OutOfTime, forget, time_limit
from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.stated import rule_of
from nkiverify.frontend.target import Target
from nkiverify.ir.program import DomainDimension, Program
from nkiverify.model.hardware import hardware_named
from nkiverify.phases import DATAFLOW, MEMORY
from nkiverify.phases.dataflow.trial import attempt
from nkiverify.phases.witness_replay import Replay, replay
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import DEFAULT_PHASES, Options
from nkiverify.verify.verifier import verify

#: Seconds of this process for the verdicts and concrete runs of one mutant, and for comparing what it computes. What
#: else the machine does takes nothing from them; `VERDICT_SECONDS` are of the clock and only end what waits.
MUTANT_SECONDS = 40.0
VERDICT_SECONDS = 120.0

#: Seconds of this process for one concrete run, and after which no other is begun.
PLAIN_SECONDS = 2.0
PLAIN_SECONDS_IN_ALL = 2.0

#: How many shapes a survivor is run on, and how many are looked at to find them.
SHAPES = 12
SHAPES_LOOKED_AT = 400

#: The product of the dimensions from which on runs on numbers take long: of such shapes the smallest come first.
_LARGE = 1 << 28

#: Extents that take more than one tile, for dimensions that are no multiples of one.
_TILES = (128, 130)


class Fate(enum.Enum):
    """The fate of a mutant."""

    KILLED_1 = "killed by phase 1"
    KILLED_2 = "killed by phase 2"
    KILLED_3 = "killed by phase 3"
    KILLED_4 = "killed by phase 4"
    VALUES = "killed by values"
    EQUIVALENT = "equivalent"
    SURVIVED = "survived"
    BOUNDED = "survived (bounded)"
    UNKNOWN = "unknown"
    BROKEN = "no target"
    DEFECT = "DEFECT"


#: What the detail of an equivalent mutant begins with where that is shown for all shapes.
PROVED = "proved"

KILLED = {1: Fate.KILLED_1, 2: Fate.KILLED_2, 3: Fate.KILLED_3, 4: Fate.KILLED_4}


@dataclass(frozen=True, slots=True)
class MutantResult:
    """One mutant and its fate. `digest` identifies the mutated module; `change` says what became what."""

    target: str
    operator: str
    line: int
    change: str
    digest: str
    fate: Fate
    detail: str


def digest(mutant: Mutant) -> str:
    """The identity of a mutant: a digest of its text."""
    return hashlib.sha256(mutant.source.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class GoodKernel:
    """A good kernel: its widest target, others of it for the phases that this one says nothing about, the dimensions of
    the domain, the verdicts of the kernel as it is, and its shape program with all operations where that is complete.
    """

    target: Target
    companions: tuple[tuple[int, Target], ...]
    dimensions: tuple[DomainDimension, ...]
    verdicts: tuple[Run, ...]
    program: Program | None

    @property
    def proved(self) -> bool:
        """True if the asserts of the kernel hold on all of the domain."""
        return all(run.verdict is Verdict.SUCCESSFUL and not run.qualifier for run in self.verdicts if run.phase == 1)

    @property
    def bounded(self) -> frozenset[int]:
        """The phases in which the verdict of the kernel itself is bounded."""
        return frozenset(run.phase for run in self.verdicts if run.qualifier)


def subject_of(target: Target, companions: Sequence[tuple[int, Target]] = ()) -> GoodKernel:
    """The kernel of a target as a subject. Raises `UnsupportedConstruct`."""
    dimensions = explore(
        target, hardware_named(target.hardware), Limits(seconds=VERDICT_SECONDS)
    ).run.program.dimensions
    verdicts = verify(target, Options(root=target.root, phases=DEFAULT_PHASES, timeout=VERDICT_SECONDS))
    program = program_of(target, VERDICT_SECONDS)
    holding = [
        (phase, one)
        for phase, one in companions
        if all(run.verdict is Verdict.SUCCESSFUL for run in _verified(one, (phase,)))
    ]
    return GoodKernel(target, tuple(holding), tuple(dimensions), tuple(verdicts), program)


@contextmanager
def mutated(target: Target, mutant: Mutant) -> Iterator[Path]:
    """A folder with the mutated kernel in place of that of the target."""
    folder = Path(tempfile.mkdtemp(prefix="nkiverify-mutant-"))
    try:
        file = target.kernel.partition("::")[0]
        shutil.copytree(
            (target.root / file).parent, (folder / file).parent, ignore=shutil.ignore_patterns("__pycache__")
        )
        (folder / file).write_text(mutant.source, encoding="utf-8")
        yield folder
    finally:
        forget(folder)
        shutil.rmtree(folder, ignore_errors=True)


def try_mutant(subject: GoodKernel, mutant: Mutant) -> MutantResult:
    """The fate of one mutant."""
    with mutated(subject.target, mutant) as folder:
        fate, detail = _of_phases(subject, mutant, folder)
        if fate in (Fate.SURVIVED, Fate.BOUNDED, Fate.UNKNOWN):
            fate, detail = _by_values(subject, mutant, folder, fate, detail)
    return MutantResult(
        subject.target.name, mutant.operator, mutant.line, mutant.change, digest(mutant), fate, detail.strip("; ")
    )


# --- the phases -------------------------------------------------------------------------------------------------------


def _of_phases(subject: GoodKernel, mutant: Mutant, folder: Path) -> tuple[Fate, str]:
    changed = replace(subject.target, root=folder)
    try:
        with time_limit(MUTANT_SECONDS):
            runs = _verified(changed, (1,))
            if not any(run.verdict in (Verdict.FAILED, Verdict.ERROR) for run in runs):
                # Most mutants are killed before this.
                runs += _verified(changed, (2, 3, 4))
            fate, detail = _by_verdicts(runs, subject.bounded)
            if fate in (Fate.SURVIVED, Fate.BOUNDED):
                argued = _argued(subject, mutant, changed)
                if argued:
                    return Fate.EQUIVALENT, f"{PROVED}: {argued}"
            held = [run.phase for run in runs if run.verdict is Verdict.SUCCESSFUL and not run.qualifier]
            if fate is not Fate.DEFECT and held:
                wrong = failing_shape(changed, held, subject.dimensions, random.Random(mutant.change))
                if wrong:
                    return Fate.DEFECT, f"SUCCESSFUL, but {wrong}"
            for phase, companion in subject.companions:
                if fate not in (Fate.SURVIVED, Fate.BOUNDED, Fate.UNKNOWN):
                    break
                found, why = _by_verdicts(_verified(replace(companion, root=folder), (phase,)), frozenset())
                if found in (*KILLED.values(), Fate.DEFECT):
                    fate, detail = found, f"{companion.name}: {why}"
            return fate, detail
    except OutOfTime:
        return Fate.UNKNOWN, f"not decided within {MUTANT_SECONDS:.0f} s of CPU"


def _argued(subject: GoodKernel, mutant: Mutant, changed: Target) -> str:
    """Why a mutant that breaks no contract is the same kernel for all shapes; empty where that is not shown."""
    if mutant.operator == "precondition removed" and subject.proved:
        return "what is removed never raises on the domain of the target"
    program = program_of(changed, VERDICT_SECONDS) if subject.program is not None else None
    if subject.program is not None and program is not None and same_operations(subject.program, program):
        return "the same operations on the same elements for all shapes"
    return ""


def _verified(target: Target, phases: tuple[int, ...]) -> list[Run]:
    return verify(target, Options(root=target.root, phases=phases, timeout=VERDICT_SECONDS))


def _by_verdicts(runs: Sequence[Run], bounded: frozenset[int]) -> tuple[Fate, str]:
    """The fate by the verdicts. Only those that are bounded where that of the kernel is not make the survival
    bounded."""
    unknown = ""
    for run in runs:
        if run.verdict is Verdict.FAILED:
            contracts = ", ".join(dict.fromkeys(violation.contract for violation in run.violations))
            if run.qualifier:
                shown = "; ".join(f"{v.contract} line {v.line} {v.witness} {v.message}" for v in run.violations)
                return Fate.DEFECT, f"FAILED ({run.qualifier}): {shown}"
            return KILLED[run.phase], contracts
        if run.verdict is Verdict.ERROR:
            # The target function itself may not get along with what the mutant returns.
            return (Fate.DEFECT if run.traceback else Fate.BROKEN), f"{run.reason} {run.traceback[-600:]}".strip()
        if run.verdict is Verdict.UNKNOWN and not unknown:
            unknown = f"phase {run.phase}: {run.reason}"
        if run.verdict is Verdict.VACUOUS and run.phase == 1 and not unknown:
            unknown = f"VACUOUS: {run.reason}"
    if unknown:
        return Fate.UNKNOWN, unknown
    worse = [f"phase {run.phase}: {run.qualifier}" for run in runs if run.qualifier and run.phase not in bounded]
    return (Fate.BOUNDED, worse[0]) if worse else (Fate.SURVIVED, "")


# --- concrete runs ----------------------------------------------------------------------------------------------------


def failing_shape(
    target: Target, phases: Sequence[int], dimensions: Sequence[DomainDimension], source: random.Random
) -> str:
    """Values of the domain on which a concrete run breaks a contract of `phases`, and which; empty where none is
    found."""
    hardware = hardware_named(target.hardware)
    looked_at = frozenset({MEMORY.number}.intersection(phases))
    at_end = MEMORY.broken_at_end if looked_at else None
    tried: set[tuple[int, ...]] = set()
    legal = 0
    until = time.process_time() + PLAIN_SECONDS_IN_ALL
    for values in shapes(dimensions, source):
        if time.process_time() > until:
            break
        if tuple(values.values()) in tried:
            continue
        tried.add(tuple(values.values()))
        played = replay(target, values, hardware, checked=True, seconds=PLAIN_SECONDS, phases=looked_at, at_end=at_end)
        if played.excluded:
            continue
        broken = broken_by_phase(played)
        if DATAFLOW.number in phases and not broken:
            faults = attempt(target, values, hardware, PLAIN_SECONDS).findings.faults
            broken = {DATAFLOW.number: [fault.contract for fault in faults[:3]]} if faults else {}
        for phase in phases:
            if phase in broken:
                return f"{values} fails in phase {phase}: {', '.join(broken[phase][:3])}"
        legal += 1
        if legal >= SHAPES:
            break
    return ""


def broken_by_phase(played: Replay) -> dict[int, list[str]]:
    """The contract that a concrete run broke: divisions by zero and large integers belong to phase 2, what is raised to
    phase 1."""
    found: dict[int, list[str]] = {}
    rules = [(one.contract, f"{one.contract.id} at {one.site}") for one in played.broken]
    if played.raised is not None:
        rules.append((rule_of(played.raised), repr(played.raised)))
    for rule, text in rules:
        found.setdefault(2 if rule.id.startswith("host.") else rule.phase, []).append(text)
    return found


def shapes(dimensions: Sequence[DomainDimension], source: random.Random) -> Iterator[dict[str, int]]:
    """Values for the dimensions, small ones first."""
    for attempted in range(SHAPES_LOOKED_AT):
        reach = 1 + attempted // 20
        values: dict[str, int] = {}
        for dimension in dimensions:
            step = dimension.multiple_of
            least = -(-dimension.low // step)
            most = dimension.high // step if dimension.high is not None else least + 4000
            steps = [0, 1, 2, source.randrange(reach + 1), source.randrange(reach * 5 + 1)]
            steps += _TILES if step == 1 else ()
            values[dimension.atom.name] = step * min(most, least + source.choice(steps))
        yield values


def unlike_shapes(dimensions: Sequence[DomainDimension], source: random.Random) -> Iterator[dict[str, int]]:
    """Values for the dimensions that tell a mutant from its kernel: no two of them equal as far as that is possible,
    none the least, small ones and ones of several tiles by turns."""
    drawn = {tuple(values.values()): values for values in shapes(dimensions, source)}

    def alike(values: dict[str, int]) -> int:
        least = sum(values[one.atom.name] <= max(one.low, one.multiple_of) for one in dimensions)
        return len(values) - len(set(values.values())) + least

    def tiled(values: dict[str, int]) -> bool:
        return any(one.multiple_of == 1 and values[one.atom.name] > _TILES[0] for one in dimensions)

    def cost(values: dict[str, int]) -> int:
        size = prod(values.values())
        return size if size > _LARGE else 0

    def order(values: dict[str, int], tiles: bool) -> tuple[int, ...]:
        return cost(values), alike(values), tiled(values) != tiles, prod(values.values())

    small = sorted(drawn.values(), key=lambda values: order(values, tiles=False))
    large = sorted(drawn.values(), key=lambda values: order(values, tiles=True))
    for pair in zip(small, large, strict=True):
        yield from pair


# --- values -----------------------------------------------------------------------------------------------------------


def _by_values(subject: GoodKernel, mutant: Mutant, folder: Path, fate: Fate, detail: str) -> tuple[Fate, str]:
    """The answer of running kernel and mutant on numbers about one that breaks no contract, as far as the phases
    tell."""
    changed = replace(subject.target, root=folder)
    try:
        with time_limit(MUTANT_SECONDS):
            same, reason = compared(
                subject.target, changed, unlike_shapes(subject.dimensions, random.Random(mutant.change))
            )
    except OutOfTime:
        return fate, f"{detail}; values are not compared within {MUTANT_SECONDS:.0f} s of CPU"
    if same is None:
        return fate, f"{detail}; {reason}"
    if not same:
        contradicted = fate is Fate.SURVIVED and reason.partition(": ")[2].startswith(ILLEGAL)
        return Fate.DEFECT if contradicted else Fate.VALUES, f"{detail}; {reason}"
    if fate is not Fate.SURVIVED:
        return fate, f"{detail}; computes the same {reason}"
    return Fate.EQUIVALENT, f"tested: {reason}"
