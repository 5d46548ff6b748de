"""Verdicts of kernels that have nothing to check in a phase, or return for no values at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.frontend.binding import SymbolicBinding
from nkiverify.frontend.domain.syntax import parse
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Verification
from nkiverify.model.hardware import hardware_named
from nkiverify.project.request import Request
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer

_PASSING = (Verdict.SUCCESSFUL, Verdict.VACUOUS)


def passed(runs: Iterable[Run]) -> bool:
    """True if nothing is refuted or open: whatever another engine leaves open next to these runs is not asked about."""
    return all(run.verdict in _PASSING for run in runs if not run.advisory)


def counted(runs: Sequence[Run], request: Request, hardware: str, phases: object) -> list[Run]:
    """The runs as they count after the kernel of `request` has run: VACUOUS where it returns for no values of the
    domain, else without phases in which it has nothing to check, unless these `phases` were asked for by name."""
    if passed(runs):
        runs = [_explained(run, request, hardware) for run in runs]
    checked = [run for run in runs if run.verdict is not Verdict.VACUOUS]
    return checked if checked and request.outcome.returned and phases is None else list(runs)


def is_empty(request: Request, hardware: str, more: Sequence[str] = ()) -> bool:
    """True if no values of the dimensions satisfy `--where`, and `more`, as far as the solver can tell in a moment."""
    request = replace(request, where=(*request.where, *(parse("--where", text) for text in more)))
    run = SymbolicExecution(hardware_named(hardware), Limits(seconds=10.0), {})
    empty = True

    def domain() -> None:
        nonlocal empty
        request.assumed_domain(Verification(SymbolicBinding(run), lambda: None))
        empty = Prover(run.program.assumed, BUDGETS.domain).satisfiable() is Answer.NO

    run.explore(domain)
    return empty


def _explained(run: Run, request: Request, hardware: str) -> Run:
    """`run`, VACUOUS where the kernel returns for no values; with the precise reason where it is."""
    if run.verdict is Verdict.SUCCESSFUL and not request.outcome.returned:
        reason = "the kernel returns for no values of the domain"
        run = replace(run, verdict=Verdict.VACUOUS, basis=Basis.UNREACHED, qualifier="", reason=reason)
    if run.verdict is not Verdict.VACUOUS or request.outcome.returned:
        return run
    if request.where and is_empty(request, hardware):
        texts = " and ".join(f"({text.content.strip()})" for text, _ in request.where)
        return replace(run, reason=f"no values satisfy --where {texts}")
    asserted = [text for text in run.assumptions if text in request.asserts.values()]
    if asserted:
        return replace(run, reason=f"no values pass the kernel's own asserts: {'; '.join(asserted)}")
    return run
