"""ESBMC next to phase 4: the claims of one shape, decided a second time by other means.

The shape is the one that a refutation has, or a small one on which loops go round twice. It is concrete run, and
what the run records becomes a program about any one element (`phases.dataflow.one_element`). Three say what is so of
that shape then, and have to agree: ESBMC, the shadow memory, and the verdict about all shapes. The answer is about one
shape, says so, and makes no verdict.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from nkiverify.analysis.marks.shadow import execute
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc import esbmc_process, output
from nkiverify.engines.esbmc.engine import START_SECONDS, leave_text
from nkiverify.engines.esbmc.flags import read
from nkiverify.engines.esbmc.locate import Installation
from nkiverify.engines.esbmc.lowering import TargetLanguage
from nkiverify.engines.esbmc.naming import place
from nkiverify.engines.esbmc.output import Conclusion, EsbmcReport, PropertyKind, Status
from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.clock import spent
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import BOUNDED, Basis, Run, Verdict
from nkiverify.ir.contract import Severity
from nkiverify.ir.program import Claim, decided_lines
from nkiverify.model.policy import applied_policy
from nkiverify.phases.dataflow.pieces import NotLowered
from nkiverify.phases.dataflow.trial import ANY_WORK, Trial, attempt
from nkiverify.products.esbmc.one_element import LOWERED, LoweredRun, lower_run
from nkiverify.products.esbmc.second_opinion import installation
from nkiverify.verify.domain_parts import Candidates, solved
from nkiverify.verify.evidence import Evidence, recorded
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.options import Options
from nkiverify.verify.shape_search import OracleAnswer, Search

#: What decides a claim, in reports.
BY = "any one element"
#: Contracts of reads: reading an unwritten element breaks one where it reaches an output, which is not followed.
_OF_READS = frozenset({"df.read_unwritten", "acc.reduce_needs_init"})

#: A claim: its contract, and the position of the item of the run.
_Key = tuple[str, int]


def cross_checked(
    explored: Exploration, ours: Run, options: Options, proved: Collection[int], seconds: float
) -> Run | None:
    """ESBMC's run about one shape, next to `ours` of phase 4, within `seconds`; None where there is no ESBMC, or no
    verdict to compare with. A shape that breaks a contract of the phases that are `proved` is a disagreement. Raises
    `UsageError` as `integers` does."""
    found = installation()
    if found is None or ours.verdict not in (Verdict.SUCCESSFUL, Verdict.FAILED):
        return None
    started = time.monotonic()
    deadline = spent() + min(seconds, read(ours.flags).timeout or seconds)
    try:
        reported = _asked(found, explored, ours, options, proved, deadline)
    except _Contradicts as reason:
        conclusion = Evidence(Basis.DISAGREEMENT, Basis.DISAGREEMENT.value, str(reason))
        reported = recorded(explored.target, ours.phase, found.name, conclusion)
    except NotLowered as reason:
        reported = recorded(explored.target, ours.phase, found.name, _open(f"it is not lowered: {reason}"))
    return replace(
        reported,
        advisory=True,
        assumptions=ours.assumptions,
        milliseconds=(time.monotonic() - started) * 1000,
    )


class _Contradicts(Exception):
    """A concrete run breaks a contract of a phase that is proved; the message says which."""


def _asked(
    found: Installation, explored: Exploration, ours: Run, options: Options, proved: Collection[int], deadline: float
) -> Run:
    """ESBMC's run. Raises `NotLowered` where no shape becomes a program, and `_Contradicts`."""
    generation = explored.hardware.generation
    trial = _trial(explored, ours, proved, max(0.0, deadline - spent()) / 2)
    lowered = lower_run(trial.recorded, generation)
    # Of reads that are accepted, the trial tells nothing.
    findings = execute(trial.recorded, generation) if trial.tolerated else trial.findings
    broken = {(one.contract, one.position) for one in (*findings.faults, *findings.origins)}
    name = f"{ours.target}-phase{ours.phase}"
    shape = ", ".join(f"{name} = {value}" for name, value in trial.values.items())
    with tempfile.TemporaryDirectory(prefix="nkiverify-") as folder:
        session = _Session(found, lowered, f"{name}{f', {shape}' if shape else ''}", Path(folder), deadline, ours.flags)
        asked = {key: lowered.questions[claim.number] for key, claim in lowered.claims.items()}
        every: set[int] = set().union(*asked.values())
        failing: set[int] = set().union(*(questions for key, questions in asked.items() if key in broken))
        # In order, those about the same tensors are together: a program has the steps of those tensors alone.
        whole = sorted(every - failing)
        for start in range(0, len(whole), SecondEngineBudget.QUESTIONS):
            session.settle(whole[start : start + SecondEngineBudget.QUESTIONS])
        session.settle(sorted(failing), every=True)
    outcomes = {claim.number: session.outcome(claim.number) for claim in lowered.claims.values()}
    known = _Known(ours, lowered, session, outcomes, broken, bool(findings.doubts), shape)
    conclusion = known.conclusion()
    if options.keep_lowered is not None:
        leave_text(options.keep_lowered / f"{name}.c", session.text(every))
    if conclusion.basis is Basis.DISAGREEMENT and options.disagreements is not None:
        kept = options.disagreements / f"{name}.c"
        leave_text(kept, session.text(every))
        conclusion = replace(conclusion, reason=f"{conclusion.reason}; ESBMC was given {kept}")
    run = recorded(explored.target, ours.phase, found.name, conclusion)
    reported = ((claim, outcomes[claim.number]) for claim in lowered.claims.values())
    decided = decided_lines((claim, one.value, "" if one is Outcome.UNDECIDED else BY) for claim, one in reported)
    return replace(run, decided=decided)


def _open(reason: str, claims: int = 0) -> Evidence:
    """A conclusion that leaves something open, and changes nothing."""
    return Evidence(Basis.UNDECIDED, reason, reason, claims=claims)


# --- the shape --------------------------------------------------------------------------------------------------------


def _trial(explored: Exploration, ours: Run, proved: Collection[int], seconds: float) -> Trial:
    """The run of the shape that is examined, for this many seconds. Raises `NotLowered` where none can be run, and
    `_Contradicts` where one breaks what is `proved`."""
    reason = "no shape could be run"
    found: Trial | None = None

    def about(values: dict[str, int], left: float) -> OracleAnswer:
        nonlocal found, reason
        trial = attempt(explored.target, values, explored.hardware, left, ANY_WORK, orders=False)
        if trial.unusable is None:
            found = None if trial.outside else trial
            return OracleAnswer(continues=trial.outside)
        if trial.unusable.phase in proved:
            shape = ", ".join(f"{name} = {value}" for name, value in values.items()) or "this launch"
            raise _Contradicts(f"{trial.unusable} for {shape}, and phase {trial.unusable.phase} says that it holds")
        reason = str(trial.unusable)
        return OracleAnswer()

    # These are the smallest shapes: time alone is their limit.
    Search(about, seconds).through(_shapes(explored, ours, seconds / 2))
    if found is None:
        raise NotLowered(reason)
    return found


def _shapes(explored: Exploration, ours: Run, seconds: float) -> Iterator[dict[str, int]]:
    """The witness of a refutation; else shapes on which loops go round twice, the smallest first, and others."""
    if ours.violations:
        first = ours.violations[0]
        yield dict(first.values) or {name: int(value) for name, value in first.witness.items()}
        return
    candidates = Candidates(explored.run.program, explored.assumptions)
    shapes = candidates.shapes
    if not shapes.dimensions:
        yield {}
        return
    reached = sorted(candidates.reached(seconds).shapes, key=lambda shape: sum(shape.values()))
    found = islice(solved(shapes.dimensions, candidates.assumed, lambda: True), 1)
    yield from chain(reached, islice(shapes.tried(), SecondEngineBudget.SHAPES), found)


# --- asking ESBMC -----------------------------------------------------------------------------------------------------


class _Session:
    """Asks ESBMC the questions of one lowered run until the `deadline`."""

    def __init__(
        self, found: Installation, lowered: LoweredRun, title: str, folder: Path, deadline: float, flags: str
    ) -> None:
        self._installation = found
        self._lowered = lowered
        self._title = title
        self._folder = folder
        self._deadline = deadline
        chosen = read(flags).solver
        self._solver = [f"--{chosen.value}"] if chosen is not None and found.has_solver(chosen) else []
        self._decided: dict[int, Outcome] = {}
        #: The place of which the answer to a question is no.
        self._places: dict[int, int] = {}
        self.reason = ""

    def outcome(self, number: int) -> Outcome:
        """ESBMC's decision about a claim: it holds where all that it asks does."""
        found = {self._decided.get(question, Outcome.UNDECIDED) for question in self._lowered.questions[number]}
        if Outcome.REFUTED in found:
            return Outcome.REFUTED
        return Outcome.PROVED if found == {Outcome.PROVED} else Outcome.UNDECIDED

    def element(self, number: int) -> str:
        """The tensor and the place of which a claim does not hold."""
        found = (self._places[question] for question in self._lowered.questions[number] if question in self._places)
        return next((f"place {where} of {self._lowered.tensors[number]}" for where in found), "")

    def text(self, questions: Collection[int]) -> str:
        """The program that asks these questions."""
        return self._lowered.text(questions, self._title)

    def settle(self, questions: Collection[int], every: bool = False) -> None:
        """Answer questions, all of them at once where all say yes; with `every`, each by itself from the beginning,
        where that can be."""
        left = list(questions)
        can_tell_all = self._installation.has_table
        for _ in range(SecondEngineBudget.ROUNDS):
            if not left:
                return
            at_once = every and can_tell_all
            report = self._run(left, *(["--multi-property"] if at_once else []))
            if report.conclusion is Conclusion.SUCCESSFUL:
                self._decided.update(dict.fromkeys(left, Outcome.PROVED))
                return
            if report.conclusion is Conclusion.FAILED and can_tell_all and not at_once:
                report = self._run(left, "--multi-property")
            if report.conclusion is not Conclusion.FAILED:
                self.reason = self.reason or report.detail or report.conclusion.value
                return
            self._take(report)
            left = [question for question in left if question not in self._decided]
        self.reason = self.reason or f"more than {SecondEngineBudget.ROUNDS} claims are refuted"

    def _take(self, report: EsbmcReport) -> None:
        refuted = {one.claim for one, status in report.table if status is Status.FAILED}
        refuted |= {violation.property.claim for violation in report.violations}
        for violation in report.violations:
            question, where = violation.property.claim, violation.values.get("place")
            if question is not None and where is not None:
                self._places[question] = where
        self._decided.update({question: Outcome.REFUTED for question in refuted if question is not None})
        if self._installation.has_table:
            kinds = (PropertyKind.CLAIM,)
            for one, status in report.table:
                if one.kind in kinds and status is Status.PASSED and one.claim is not None:
                    self._decided.setdefault(one.claim, Outcome.PROVED)

    def _run(self, questions: Collection[int], *options: str) -> EsbmcReport:
        left = self._deadline - spent()
        if left <= 0:
            return EsbmcReport(Conclusion.TIMED_OUT)
        file = self._folder / "element.c"
        file.write_text(self.text(questions), encoding="utf-8")
        computing = SecondEngineBudget.ELEMENT_SECONDS + START_SECONDS[TargetLanguage.C]
        command: list[str | Path] = [self._installation.path, file.name, "--no-library", *self._solver, *options]
        finished = esbmc_process.run_within(command, self._folder, computing, left)
        return output.read(finished, self._installation.version)


# --- what follows -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Known:
    """The facts known of one shape: ESBMC's decisions by the numbers of claims, the claims that the shadow memory finds
    `broken`, which has `doubts` or none, and the verdict of phase 4."""

    ours: Run
    lowered: LoweredRun
    session: _Session
    outcomes: Mapping[int, Outcome]
    broken: Collection[_Key]
    doubts: bool
    shape: str

    def conclusion(self) -> Evidence:
        """Agreement, contradiction, or what is left open."""
        contradictions = [*self._of_the_shadow(), *self._of_the_verdict()]
        count = len(self.lowered.claims)
        if contradictions:
            return Evidence(Basis.DISAGREEMENT, Basis.DISAGREEMENT.value, "; ".join(contradictions[:3]), claims=count)
        undecided = [key for key, claim in self.lowered.claims.items() if self._outcome(claim) is Outcome.UNDECIDED]
        refutes = {key[0] for key in self._refuted()} & self._told()
        if not count:
            return _open("no claim about elements")
        if self.ours.verdict is Verdict.FAILED:
            if not refutes:
                return _open(f"{self.session.reason or ', '.join(sorted(self._told()))} is not decided by it", count)
            return self._concluded(Basis.REFUTED)
        if undecided:
            return _open(f"{len(undecided)} of {count} claims: {self.session.reason}", count)
        return self._concluded(Basis.PROVED)

    def _concluded(self, basis: Basis) -> Evidence:
        lowered = self.lowered
        reported = f"{lowered.operations} operations{f' for {self.shape}' if self.shape else ''}"
        if lowered.left_out:
            reported += f", {lowered.left_out} accesses left out"
        bounded = bool(self.shape) and basis is Basis.PROVED
        qualifier = f"{BOUNDED} {self.shape}" if bounded else ""
        basis = Basis.BOUNDED if bounded else basis
        decided = sum(self._outcome(claim) is not Outcome.UNDECIDED for claim in lowered.claims.values())
        return Evidence(basis, qualifier, reported, claims=len(lowered.claims), closed_by={BY: decided})

    def _told(self) -> set[str]:
        """The contracts that our verdict says are broken."""
        return {violation.contract for violation in self.ours.violations}

    def _outcome(self, claim: Claim) -> Outcome:
        return self.outcomes[claim.number]

    def _refuted(self) -> list[_Key]:
        return [key for key, claim in self.lowered.claims.items() if self._outcome(claim) is Outcome.REFUTED]

    def _of_the_shadow(self) -> Iterator[str]:
        """The claims that the shadow memory and ESBMC do not agree about."""
        for key, claim in self.lowered.claims.items():
            outcome = self._outcome(claim)
            if outcome is Outcome.REFUTED and key not in self.broken:
                yield self._sides(claim, "the shadow memory says proved")
            elif outcome is Outcome.PROVED and key in self.broken and not self.doubts:
                yield self._sides(claim, "the shadow memory says refuted")
        for rule, position in sorted(self.broken):
            lost = rule in LOWERED and (rule, position) not in self.lowered.claims
            if lost and not self.doubts and not self.lowered.left_out:
                where = self.shape or "this launch"
                yield f"{rule} for {where}: the shadow memory says refuted, ESBMC is not asked"

    def _of_the_verdict(self) -> Iterator[str]:
        """The claims that the verdict and ESBMC do not agree about, though the shadow memory does."""
        claims = self.lowered.claims
        if self.ours.verdict is Verdict.SUCCESSFUL:
            policy = applied_policy()
            for key in self._refuted():
                claim = claims[key]
                decides = policy.severity(claim.contract, claim.site) is Severity.CLAIM
                if decides and key[0] not in _OF_READS and key in self.broken:
                    yield self._sides(claim, "phase 4 says proved")
            return
        for rule in sorted(self._told() & {key[0] for key in claims}):
            outcomes = {self._outcome(claim) for key, claim in claims.items() if key[0] == rule}
            if outcomes == {Outcome.PROVED}:
                yield f"{rule} for {self.shape or 'this launch'}: phase 4 says refuted, ESBMC says proved"

    def _sides(self, claim: Claim, other: str) -> str:
        where = place(claim.site)
        element = self.session.element(claim.number)
        at = "".join([f" at {where}" if where else "", f" for {self.shape}" if self.shape else ""])
        said = f"ESBMC says {self._outcome(claim).value}{f' ({element})' if element else ''}"
        return f"claim {claim.number}, {claim.contract.id}{at}: {other}, {said}"
