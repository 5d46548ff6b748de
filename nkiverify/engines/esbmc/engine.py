"""Deciding the claims of a shape program with ESBMC.

A run asserts many claims at once, those of all phases: starting a process costs more than most claims. All claims are
one question for the solver then, which is quickest where they hold. Where one does not, or that takes too long, each
claim becomes a question of its own (`--multi-property`). Builds that cannot do this are asked again without the claim
that they refute. Where a run comes to no end, the claims are divided. What remains is asked again with another
arithmetic: 64-bit integers are what ESBMC is best tested with, and solvers of bit-vectors have nothing in common with
ours, but products of variables are beyond them.

A refuted claim is checked over the integers before it counts, with the values of ESBMC's trace.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import field, replace
from pathlib import Path

from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc import esbmc_process, hypotheses, output
from nkiverify.engines.esbmc.flags import Flags, Strategy
from nkiverify.engines.esbmc.hypotheses import Hypotheses
from nkiverify.engines.esbmc.locate import Installation
from nkiverify.engines.esbmc.lowering import Arithmetic, LoopForm, Lowered, LoweredLoop, Plan, TargetLanguage, lower
from nkiverify.engines.esbmc.output import Conclusion, EsbmcReport, PropertyKind, Status
from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.clock import spent
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.ir.program import Claim, Program
from nkiverify.symbolic.atoms import Atom, Div, Term
from nkiverify.symbolic.conditions import Condition

#: Seconds of computing that starting takes at most: on the machines we know, 0.05 and 1.5.
START_SECONDS = {TargetLanguage.C: 0.5, TargetLanguage.PYTHON: 3.0}


#: What may be over sooner, or not happen, with fewer claims. Solvers crash on what is too much for them.
_TOO_HARD = (Conclusion.TIMED_OUT, Conclusion.OUT_OF_MEMORY, Conclusion.CRASHED)


@dataclass(frozen=True, slots=True, eq=False)
class EsbmcDecision:
    """The outcome for one claim. `values` are those of a counterexample, for a refuted one.

    `arithmetic` is that of the run that decided; `reason` says why no run did.
    """

    claim: Claim
    outcome: Outcome
    hypotheses: Hypotheses
    arithmetic: Arithmetic | None = None
    values: dict[Atom, int] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EsbmcResult:
    """ESBMC's answers about the claims of one phase, in program order.

    `forms` counts the loops by what became of them in the first program that ESBMC was given with a claim of the phase
    in them. Where claims of other phases were decided with these, `seconds` are of all. `faults` are what it did
    wrong, whether or not another run made up for it: crashes, output that cannot be read, checks of its own that fail,
    refutations that are none. `notes` say where the target's flags could not be followed.
    """

    decisions: tuple[EsbmcDecision, ...]
    forms: dict[LoopForm, int]
    runs: int
    seconds: float
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A way to run ESBMC: how the program is lowered for it, and the options that go with that.

    `linear`: only claims without products of variables, in them or in what they rest on, are worth it.
    """

    plan: Plan
    options: tuple[str, ...] = ()
    linear: bool = False


class EsbmcEngine:
    """Decides the claims of one shape program.

    `title` names the target in the lowered programs; `keep` is a folder that they are left in. `language` is the one to
    lower to: C, which every build reads and decides many times faster, or Python. `only` is the arithmetic to use: by
    default each claim has the one that suits it.

    `together` are the phases of which more will be asked: their claims are decided with those of the first one.
    `failing` are the claims that another engine refutes. Only the order of questions depends on either.
    """

    def __init__(
        self,
        installation: Installation,
        program: Program,
        title: str,
        flags: Flags,
        keep: Path | None = None,
        language: TargetLanguage = TargetLanguage.C,
        only: Arithmetic | None = None,
        together: Collection[int] = (),
        failing: Collection[int] = (),
    ) -> None:
        self._installation = installation
        self._program = program
        self._title = title
        self._flags = flags
        self._keep = keep
        self._language = language
        self._only = only
        known = flags.strategy.value in installation.options
        self._strategy = flags.strategy if known else Strategy.BOUNDED
        #: What is decided by sets of elements has no condition that ESBMC could be asked about; on what is only warned
        #: of, or accepted, no verdict depends.
        asked = ((claim, path) for claim, path in hypotheses.paths(program) if claim.by_sets is None and claim.decides)
        self._paths = {claim.number: (claim, path) for claim, path in asked}
        self._domain_has_values: bool | None = None
        self._together = frozenset(together)
        self._failing = frozenset(failing)
        self._domain_asked = self._domain_looked_at = False
        self._decided: dict[int, EsbmcDecision] = {}
        self._loops: dict[int, LoweredLoop] = {}
        #: By the identity of a condition that the paths keep.
        self._multiplying: dict[int, bool] = {}
        self._session = _Session(0.0, 0, Path())

    @property
    def name(self) -> str:
        """`esbmc` and the version."""
        return self._installation.name

    def decide(self, phase: int, seconds: float) -> EsbmcResult:
        """The decisions about the claims of `phase`, and about the unwinding claims of all phases."""
        started = time.monotonic()
        claims = self._claims({phase})
        asked = self._claims({phase, *self._together})
        self._together = frozenset()
        with tempfile.TemporaryDirectory(prefix="nkiverify-") as folder:
            deadline = spent() + min(seconds, self._flags.timeout or seconds)
            session = self._session = _Session(deadline, phase, Path(folder))
            self._domain_asked = self._domain_looked_at = False
            if any(claim.number not in self._decided for claim in claims):
                for group, of_division in self._groups(asked):
                    for attempt in self._attempts(of_division):
                        self._settle(attempt, group)
            if claims:
                self._look_at_domain()
        decisions = tuple(self._final(claim) for claim in claims)
        faults = tuple(dict.fromkeys(session.faults))
        forms = self._forms_of({claim.number for claim in claims})
        return EsbmcResult(decisions, forms, session.runs, time.monotonic() - started, faults, self._notes())

    def _claims(self, phases: Collection[int]) -> list[Claim]:
        return [claim for claim, _ in self._paths.values() if claim.phase in phases or claim.unwinding]

    def _forms_of(self, numbers: Collection[int]) -> dict[LoopForm, int]:
        """The forms of the loops that any of these claims are in."""
        return dict(Counter(loop.form for loop in self._loops.values() if not loop.claims.isdisjoint(numbers)))

    def leave(self, numbers: Collection[int], phase: int, folder: Path) -> Path:
        """Write the program that asserts just these claims into `folder`; its path.

        Raises `UsageError` where it cannot be written.
        """
        of_division = not all(self._paths[number][0].of_division for number in numbers)
        attempt = self._attempts(of_division)[-1]
        lowered = lower(self._program, numbers, attempt.plan, self._title)
        path = folder / f"{self._title}-phase{phase}{lowered.suffix}"
        leave_text(path, lowered.commented(f"esbmc {' '.join([path.name, *self._options(lowered, attempt)])}"))
        return path

    def _notes(self) -> tuple[str, ...]:
        chosen, strategy = self._flags.solver, self._flags.strategy.value
        notes = []
        if chosen is not None and not self._installation.has_solver(chosen):
            notes.append(f"{self.name} has no --{chosen.value}: its default solver instead")
        if self._strategy is not self._flags.strategy:
            notes.append(f"{self.name} has no --{strategy}: --unwind instead")
        return tuple(notes)

    def _groups(self, claims: Sequence[Claim]) -> list[tuple[list[Claim], bool]]:
        """The claims, apart by whether they may use that earlier divisions were not by zero."""
        if not hypotheses.assumes_divisions(self._program):
            return [(list(claims), True)]
        others = [claim for claim in claims if not claim.of_division]
        return [(others, True), ([claim for claim in claims if claim.of_division], False)]

    def _attempts(self, of_division: bool) -> list[_Attempt]:
        """The ways to run ESBMC, in the order they are tried."""
        unwind = self._flags.unwind or SecondEngineBudget.UNWIND
        chosen = self._flags.solver
        solver = (f"--{chosen.value}",) if chosen is not None and self._installation.has_solver(chosen) else ()
        plan = Plan(self._language, Arithmetic.BIT_VECTORS, unwind, of_division=of_division)
        bounded = _Attempt(plan, solver)
        attempts = []
        if self._strategy is Strategy.K_INDUCTION:
            attempts.append(_Attempt(replace(plan, induction=True), ("--k-induction", *solver)))
        if self._installation.has_integers:
            integers = _Attempt(replace(plan, arithmetic=Arithmetic.INTEGERS), ("--z3", "--ir"))
            if self._only is not None:
                return [*attempts, integers if self._only is Arithmetic.INTEGERS else bounded]
            attempts += [replace(bounded, linear=True), integers]
        return [*attempts, bounded]

    # --- the domain ---

    def _look_at_domain(self) -> None:
        """Find out whether the domain has values: if it has none, whatever is claimed of it holds."""
        if self._domain_has_values is not None or self._domain_looked_at:
            return
        self._domain_looked_at = True
        for attempt in self._attempts(of_division=True):
            if attempt.plan.induction:
                continue
            lowered = lower(self._program, (), attempt.plan, self._title, reachable=True)
            self._note_domain(self._run(lowered, attempt, SecondEngineBudget.CLAIM_SECONDS), lowered)
            if self._domain_has_values is not None:
                return

    def _note_domain(self, report: EsbmcReport, lowered: Lowered) -> None:
        """Remember what the report of a program with claim 0 says about the domain."""
        if report.conclusion is Conclusion.SUCCESSFUL:
            # A hypothesis that could not be stated only makes the domain larger.
            self._domain_has_values = False
        elif report.conclusion is Conclusion.FAILED and self._in_domain(report, lowered):
            self._domain_has_values = True

    def _in_domain(self, report: EsbmcReport, lowered: Lowered) -> bool:
        stated = tuple(self._program.domain)
        return any(
            hypotheses.satisfies(stated, _values(violation.values, lowered))
            for violation in report.violations
            if violation.property.claim == 0
        )

    # --- the claims ---

    def _settle(self, attempt: _Attempt, claims: Sequence[Claim]) -> None:
        """Decide what `attempt` can decide of `claims`; the session remembers why not, for the rest."""
        plan, session = attempt.plan, self._session
        waiting = [[claim.number for claim in claims if not (attempt.linear and self._multiplies(claim))]]
        while waiting:
            group = [number for number in waiting.pop() if number not in self._decided]
            if not group:
                continue
            every = self._every_at_once(group, plan)
            # A program of its own would tell that the domain has values, and take a process more.
            with_domain = every and self._domain_has_values is None and not self._domain_asked
            lowered = lower(self._program, group, plan, self._title, reachable=with_domain)
            session.postpone(lowered.too_wide, "it does not fit 64 bits")
            asked = [number for number in group if number in lowered.asserted]
            if not asked:
                continue
            if session.seconds_left <= 0:
                session.postpone(asked, "time-out")
                continue
            self._note_loops(lowered)
            used = replace(attempt, plan=plan)
            if with_domain:
                self._domain_asked = True
            else:
                self._look_at_domain()
            report = self._ask(lowered, used, every)
            if with_domain:
                self._note_domain(report, lowered)
                report = report.without(0)
            violated = {violation.property.kind for violation in report.violations}
            if report.conclusion is Conclusion.SUCCESSFUL:
                self._prove(asked, report, plan)
            elif report.conclusion is Conclusion.FAILED and PropertyKind.CLAIM in violated:
                waiting.append(self._refute(asked, report, lowered, plan))
            elif report.conclusion is Conclusion.FAILED and PropertyKind.UNWINDING in violated and plan.unwind > 1:
                # The bound of the loop was thought to be smaller than it is: its representative iteration has none.
                plan = replace(plan, unwind=1)
                waiting.append(asked)
            elif report.conclusion in _TOO_HARD and len(asked) > 1:
                middle = len(asked) // 2
                waiting += [asked[middle:], asked[:middle]]
            else:
                self._leave_open(asked, report)

    def _multiplies(self, claim: Claim) -> bool:
        _, path = self._paths[claim.number]
        return _multiplies(claim.condition) or any(map(self._hypothesis_multiplies, path.hypotheses))

    def _hypothesis_multiplies(self, condition: Condition | bool) -> bool:
        known = self._multiplying.get(id(condition))
        if known is None:
            known = self._multiplying[id(condition)] = _multiplies(condition)
        return known

    def _every_at_once(self, numbers: Collection[int], plan: Plan) -> bool:
        """True if each of these claims is to be a question of its own from the beginning: one will be refuted, or
        starting ESBMC takes longer than that."""
        slow = self._language is TargetLanguage.PYTHON or self._flags.multi_property
        return self._can_tell_all(plan) and (slow or not self._failing.isdisjoint(numbers))

    def _can_tell_all(self, plan: Plan) -> bool:
        # Of bounds that grow, ESBMC 8.4 tells with --multi-property what two of them say, which contradict each other.
        growing = plan.induction or self._strategy is Strategy.INCREMENTAL
        return self._installation.has_table and not growing

    def _ask(self, lowered: Lowered, attempt: _Attempt, every: bool) -> EsbmcReport:
        """Run ESBMC on `lowered`, for a verdict on `every` claim where it can do that and not all of them hold."""
        several = lowered.assertions > 1
        seconds = SecondEngineBudget.GROUP_SECONDS if several else SecondEngineBudget.CLAIM_SECONDS
        if not every:
            again = self._can_tell_all(attempt.plan)
            report = self._run(lowered, attempt, SecondEngineBudget.TOGETHER_SECONDS if again and several else seconds)
            too_hard = several and report.conclusion in _TOO_HARD
            if not again or not (too_hard or report.conclusion is Conclusion.FAILED):
                return report
        seconds += min(SecondEngineBudget.EACH_SECONDS * lowered.assertions, SecondEngineBudget.MOST_EACH_SECONDS)
        return self._run(lowered, attempt, seconds, every=True)

    def _prove(self, asked: Sequence[int], report: EsbmcReport, plan: Plan) -> None:
        listed = {property.claim for property, _ in report.table}
        for number in asked:
            # A table leaves out what no execution comes to.
            reached = number in listed or not self._installation.has_table
            self._decide(number, Outcome.PROVED if reached else Outcome.UNREACHED, plan)

    def _refute(self, asked: Sequence[int], report: EsbmcReport, lowered: Lowered, plan: Plan) -> list[int]:
        """Take the violated claims out of `asked`, and those that have passed; what is left is to be asked again."""
        taken: set[int] = set()
        for violation in report.violations:
            number = violation.property.claim
            if number is None or number not in lowered.asserted or number in taken:
                continue
            values = _values(violation.values, lowered)
            if self._confirm(number, values, plan):
                # What else fails for the same values need not be asked for one by one.
                taken.update(
                    other for other in asked if other != number and self._confirm(other, values, plan, few=True)
                )
            elif number not in self._decided:
                fault = f"ESBMC's counterexample for claim {number} is none over the integers"
                self._session.faults.append(fault)
                self._session.postpone([number], fault)
            taken.add(number)
        if not taken:
            self._leave_open(asked, EsbmcReport(Conclusion.FAULT, detail="a violated claim that was not asked for"))
            return []
        broken = {property.kind for property, status in report.table if status is Status.FAILED}
        if report.every and broken == {PropertyKind.CLAIM}:
            passed = {property.claim for property, status in report.table if status is Status.PASSED}
            for number in [number for number in asked if number in passed]:
                self._decide(number, Outcome.PROVED, plan)
        return [number for number in asked if number not in taken and number not in self._decided]

    def _confirm(self, number: int, values: dict[Atom, int], plan: Plan, few: bool = False) -> bool:
        """True if the claim fails for `values`: it is then refuted. With `few`, little is tried to complete them."""
        claim, path = self._paths[number]
        completions = SecondEngineBudget.COMPLETIONS_OF_OTHERS if few else SecondEngineBudget.COMPLETIONS
        complete = hypotheses.refuting(claim, path, values, completions)
        if complete is not None and number not in self._decided:
            self._decide(number, Outcome.REFUTED, plan, complete)
        return complete is not None

    def _leave_open(self, asked: Collection[int], report: EsbmcReport) -> None:
        reason = report.detail or report.conclusion.value
        if report.conclusion is Conclusion.FAILED:
            first = report.violations[0].property.message if report.violations else "a property without a trace"
            reason = f"ESBMC's own check failed: {first}"
        if report.conclusion in (Conclusion.FAULT, Conclusion.CRASHED, Conclusion.FAILED):
            self._session.faults.append(reason)
        self._session.postpone(asked, reason)

    def _decide(self, number: int, outcome: Outcome, plan: Plan, values: dict[Atom, int] | None = None) -> None:
        claim, path = self._paths[number]
        self._decided[number] = EsbmcDecision(claim, outcome, path.hypotheses, plan.arithmetic, values or {})

    def _final(self, claim: Claim) -> EsbmcDecision:
        """The decision about `claim` in the light of what is known of the domain."""
        _, path = self._paths[claim.number]
        decision = self._decided.get(claim.number)
        if self._domain_has_values is False:
            return EsbmcDecision(claim, Outcome.UNREACHED, path.hypotheses)
        if decision is None:
            return EsbmcDecision(claim, Outcome.UNDECIDED, path.hypotheses, reason=self._session.reason(claim.number))
        if decision.outcome is Outcome.PROVED and not self._domain_has_values:
            reason = "ESBMC did not show that the domain has values"
            return EsbmcDecision(claim, Outcome.UNDECIDED, path.hypotheses, reason=reason)
        return decision

    def _note_loops(self, lowered: Lowered) -> None:
        for loop, found in lowered.loops.items():
            known = self._loops.get(loop)
            self._loops[loop] = found if known is None else replace(known, claims=known.claims | found.claims)

    # --- runs ---

    def _run(self, lowered: Lowered, attempt: _Attempt, seconds: float, every: bool = False) -> EsbmcReport:
        """Run ESBMC on `lowered`; with `every`, for a verdict on every claim."""
        session = self._session
        session.runs += 1
        if session.seconds_left <= 0:
            return EsbmcReport(Conclusion.TIMED_OUT)
        computing = seconds + START_SECONDS[self._language]
        name = f"{self._title}-phase{session.phase}-{session.runs}{lowered.suffix}"
        options = [*self._options(lowered, attempt), *(["--multi-property"] if every else [])]
        text = lowered.commented(f"esbmc {' '.join([name, *options])}")
        (session.folder / name).write_text(text, encoding="utf-8")
        if self._keep is not None:
            leave_text(self._keep / name, text)
        command: list[str | Path] = [self._installation.path, name, *options]
        finished = esbmc_process.run_within(command, session.folder, computing, session.seconds_left)
        report = output.read(finished, self._installation.version)
        return replace(report, every=every).answering(lowered.same_claims)

    def _options(self, lowered: Lowered, attempt: _Attempt) -> list[str]:
        options = list(attempt.options)
        if LoopForm.UNWOUND in lowered.forms:
            # Any other loop is gone; those of constant length end by themselves, but are not to run away either.
            incremental = self._strategy is Strategy.INCREMENTAL
            options += ["--incremental-bmc"] if incremental else ["--unwind", str(attempt.plan.unwind)]
        if self._flags.overflow_check and attempt.plan.arithmetic is Arithmetic.BIT_VECTORS:
            options.append("--overflow-check")
        if self._language is TargetLanguage.PYTHON:
            options += ["--python", esbmc_process.PYTHON]
        else:
            options.append("--no-library")
        return options


class _Session:
    """The state while the claims of one phase are decided."""

    def __init__(self, deadline: float, phase: int, folder: Path) -> None:
        self.deadline = deadline
        self.phase = phase
        self.folder = folder
        self.runs = 0
        self.faults: list[str] = []
        self._reasons: dict[int, str] = {}

    @property
    def seconds_left(self) -> float:
        return self.deadline - spent()

    def postpone(self, numbers: Collection[int], reason: str) -> None:
        """Remember why these claims are not decided yet."""
        self._reasons.update(dict.fromkeys(numbers, reason))

    def reason(self, number: int) -> str:
        """The latest reason why this claim is not decided."""
        return self._reasons.get(number, "time-out")


def leave_text(path: Path, text: str) -> None:
    """Leave a lowered program for the user. Raises `UsageError` where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None


def _values(named: dict[str, int], lowered: Lowered) -> dict[Atom, int]:
    return {lowered.variables[name]: value for name, value in named.items() if name in lowered.variables}


def _multiplies(condition: Condition | bool) -> bool:
    """True if `condition` speaks of products of variables, or of quotients by one."""
    if not isinstance(condition, Condition):
        return False
    compared = list(condition.terms())
    for atom in condition.atoms():
        if isinstance(atom, Div) and atom.denominator.constant is None:
            return True
        compared.extend(atom.arguments())
    return any(_has_product(term) for term in compared)


def _has_product(term: Term) -> bool:
    return any(len(atoms) > 1 for atoms in term.monomials)
