"""ESBMC next to the embedded engine: the same shape program, decided a second time by other means.

The embedded engine's verdict stands by itself. What ESBMC leaves open changes nothing; what it contradicts is an error
that shows both sides.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from nkiverify.engines import embedded
from nkiverify.engines.esbmc import canary, esbmc_verdict, locate
from nkiverify.engines.esbmc.engine import EsbmcDecision, EsbmcEngine
from nkiverify.engines.esbmc.flags import read
from nkiverify.engines.esbmc.locate import Installation
from nkiverify.engines.esbmc.lowering import TargetLanguage
from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.clock import spent
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.records import IN_PYTHON, Basis, Run, Verdict
from nkiverify.symbolic.prover import Rung
from nkiverify.verify.options import Options
from nkiverify.verify.verdicts import PhaseVerdict


@cache
def installation() -> Installation | None:
    """The ESBMC to ask; None where there is none.

    Raises `UsageError` for one that answers wrongly or not at all, or could not be tried in the time there is.
    """
    try:
        found = locate.find()
    except locate.Unusable as reason:
        raise UsageError(str(reason)) from None
    if found is not None:
        _try(found, TargetLanguage.C)
    return found


@cache
def _try(found: Installation, language: TargetLanguage) -> None:
    """Raise `UsageError` where this ESBMC answers wrongly in programs of `language`, or could not be tried."""
    trial = canary.check_once(found, language, announce=lambda: _announce(found))
    if trial.wrong:
        raise UsageError(f"{found.name} at {found.path} is refused: it gets {trial.wrong[0]} wrong")
    if trial.unfinished:
        raise UsageError(f"{found.name} at {found.path} could not be tried: {trial.unfinished}")


def _announce(found: Installation) -> None:
    print(f"nkiverify: trying {found.name} on programs with known verdicts, once for this build", file=sys.stderr)


def prepare(names: Iterable[str], lowering: str | None) -> str:
    """Try the ESBMC that will be asked about targets of these names, if it has not been tried; the reason that it
    cannot be used, empty where it can."""
    try:
        found = installation()
        if found is None:
            return "there is none"
        if any(TargetLanguage.PYTHON in _languages(name, lowering) for name in names):
            _try(found, TargetLanguage.PYTHON)
    except UsageError as reason:
        return str(reason)
    return ""


class Questions:
    """The questions for ESBMC about one target. Phases with the same shape program are decided together."""

    def __init__(self, verdicts: Iterable[PhaseVerdict], options: Options) -> None:
        self._verdicts = tuple(verdicts)
        self._options = options
        self._engines: dict[tuple[int, TargetLanguage], EsbmcEngine] = {}

    def engine(self, found: Installation, ours: PhaseVerdict, language: TargetLanguage) -> EsbmcEngine:
        """The engine for the claims of `ours`, with those of the other phases besides them."""
        key = id(ours.program), language
        if key not in self._engines:
            of_program = [other for other in self._verdicts if other.program is ours.program]
            decisions = [one for other in of_program for one in other.decisions]
            self._engines[key] = EsbmcEngine(
                found,
                ours.program,
                ours.target.name,
                read(ours.target.flags),
                self._options.keep_lowered,
                language,
                together={other.phase for other in of_program},
                failing={one.claim.number for one in decisions if one.outcome is embedded.Outcome.REFUTED},
            )
        return self._engines[key]


def cross_checked(ours: PhaseVerdict, questions: Questions, options: Options, seconds: float) -> Run | None:
    """ESBMC's run about the claims of `ours`, within `seconds`; None where there is no ESBMC.

    Its verdict is made as that of the embedded engine is: what the shape program leaves out is UNKNOWN to both. Raises
    `UsageError` for an ESBMC or flags that cannot be used, and where lowered programs cannot be written.
    """
    if installation() is None:
        return None
    asked = _languages(ours.target.name, options.lowering)
    deadline = spent() + seconds
    runs = [_by_lowering(ours, questions, options, language, max(0.0, deadline - spent())) for language in asked]
    # The first is reported, unless another one contradicts the embedded engine.
    at_odds = next((run for run in runs if run.basis is Basis.DISAGREEMENT), None)
    return at_odds or (runs[0] if len(runs) == 1 else _lowered_twice(*runs))


def _lowered_twice(reported: Run, in_python: Run) -> Run:
    """The run that is `reported`, with what became of its claims in Python."""
    decided = sum(in_python.closed_by.values())
    said = f"lowered to Python as well: {decided} of {in_python.claims} claims decided, none otherwise"
    reason = "; ".join(filter(None, (reported.reason, said)))
    return replace(reported, closed_by={**reported.closed_by, IN_PYTHON: decided}, reason=reason)


def _languages(name: str, lowering: str | None) -> tuple[TargetLanguage, ...]:
    """The languages that the program of the target `name` is lowered to, the one whose verdict is reported first."""
    found = installation()
    if found is None or not found.has_python:
        if found is not None and lowering in ("python", "both"):
            raise UsageError(f"--lowering {lowering}: {found.name} at {found.path} reads no Python")
        return (TargetLanguage.C,)
    if lowering == "python":
        return (TargetLanguage.PYTHON,)
    sampled = (
        lowering is None
        and zlib.crc32(name.encode()) % SecondEngineBudget.PYTHON_SAMPLE == SecondEngineBudget.PYTHON_TAKEN
    )
    return (TargetLanguage.C, TargetLanguage.PYTHON) if lowering == "both" or sampled else (TargetLanguage.C,)


def _by_lowering(
    ours: PhaseVerdict, questions: Questions, options: Options, language: TargetLanguage, seconds: float
) -> Run:
    """ESBMC's run about the claims of `ours`, lowered to `language`."""
    found = installation()
    assert found is not None
    if language is not TargetLanguage.C:
        _try(found, language)
    engine = questions.engine(found, ours, language)
    result = engine.decide(ours.phase, seconds)
    run = esbmc_verdict.completed(ours.entry(engine.name, [_as_embedded(one) for one in result.decisions]), result)
    run = replace(run, advisory=bool(ours.decisions))
    if not run.advisory:
        run = ours.asked_alone().attached(run)
    contradictions = esbmc_verdict.disagreements(ours.decisions, result.decisions)
    if not contradictions:
        return run
    reason = "; ".join(map(str, contradictions[:3]))
    if options.disagreements is not None:
        kept = engine.leave([one.claim.number for one in contradictions], ours.phase, options.disagreements)
        reason = f"{reason}; ESBMC was given {kept}"
    return replace(
        run,
        verdict=Verdict.ERROR,
        basis=Basis.DISAGREEMENT,
        qualifier=Basis.DISAGREEMENT.value,
        reason=reason,
    )


def _as_embedded(decision: EsbmcDecision) -> embedded.Decision:
    """A decision of ESBMC's in the form that verdicts and witnesses are made from."""
    doubt = decision.claim.void or (decision.outcome is embedded.Outcome.REFUTED and decision.claim.open)
    if doubt:
        decision = replace(decision, outcome=embedded.Outcome.UNDECIDED, reason=doubt)
    return embedded.Decision(
        decision.claim,
        decision.outcome,
        Rung.SMT,
        tuple(decision.hypotheses),
        dict(decision.values),
        decision.reason,
    )
