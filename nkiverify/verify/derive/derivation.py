"""The largest domain, in a small language, on which a kernel is proved in every phase.

Candidates come from what the program divides and compares, and from refuted claims. Concrete runs of small shapes say
which of them keep the shapes out that the kernel fails for, or rejects. What is chosen is proved as a domain, by the
same call as `--where` makes; a shape that fails there is one more run, until the proof succeeds or nothing is left to
try. Nothing is legal because it was inferred.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from nkiverify.analysis.sets.structure import items
from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome
from nkiverify.engines.minimise import simplicity
from nkiverify.engines.shapes import domain_of
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.records import Run, Verdict, Violation
from nkiverify.foundation.source import Site
from nkiverify.frontend.domain.expressions import condition as meaning
from nkiverify.frontend.domain.syntax import parse
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Assume, Program
from nkiverify.model.hardware import Hardware
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation, at_most_zero
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer
from nkiverify.symbolic.terms import Atom, Div, Term, make, of_atom
from nkiverify.verify.derive.candidates import (
    LARGEST,
    Candidate,
    at_last_iteration,
    at_least,
    candidates,
    constants,
    is_upper_bound,
    readable,
    related,
    within,
)
from nkiverify.verify.derive.cover import Cover, cover, holds
from nkiverify.verify.derive.runs import Kind, Shown, Unread, violation
from nkiverify.verify.derive.sampling import Shapes
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from nkiverify.verify.witness.sufficient import about_dimensions, plainer, without_implied

#: Domains that are tried to be proved, at most.
_ROUNDS = 6
#: Phases whose claims are about integers.
_INTEGER_PHASES = (1, 2, 3)
#: Contracts of memory whose name says more than that they are.
_ABOUT_EXTENTS = frozenset({"mem.partitions_128", "mem.vec_free_limit", "mem.ap_isa_ranges"})
#: Contracts about what the hardware, or its integers, can hold: a shape beyond is refused, not computed wrongly.
_LIMITS = ("mem.", "host.int32")


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds of this process for concrete runs of shapes, and seconds after which no further domain is proved."""

    sampling: float = 1.5
    proving: float = 20.0

    def within(self, seconds: float) -> Budget:
        """The budget, or so many seconds in all where that is less."""
        return Budget(min(self.sampling, seconds), min(self.proving, seconds))


@dataclass(frozen=True, slots=True)
class Precondition:
    """One condition of the domain, written as `--where` reads it.

    `asserted`: the kernel itself rejects shapes beyond, at `site`. `failure`: a shape beyond that the kernel accepts,
    and what goes wrong there. `dropped`: one that it accepts, of which it leaves out a part of an input, `dropped_at`.
    `limit`: it is an upper bound that memory ("SBUF"), integers ("32 bits") or an instruction sets.
    """

    text: str
    asserted: bool = False
    site: Site | None = None
    failure: Violation | None = None
    dropped: Unread | None = None
    dropped_at: dict[str, int] = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)
    limit: str = ""
    dimensions: tuple[str, ...] = ()

    @property
    def from_above(self) -> bool:
        """True if it limits the sizes from above only, by what the hardware can hold."""
        return bool(self.limit)


@dataclass(frozen=True, slots=True)
class Derived:
    """What is known of the shapes for which a kernel is legal.

    `runs` are the verdicts on the domain, `bugs` what fails whatever the domain is. `proved`: every phase is proved on
    the domain. `passing` is the smallest shape outside that passes, of `outside` that were run.
    """

    preconditions: tuple[Precondition, ...]
    limits: tuple[Precondition, ...]
    runs: tuple[Run, ...]
    proved: bool
    seconds: float
    bugs: tuple[Violation, ...] = ()
    passing: dict[str, int] | None = None
    outside: int = 0
    tried: int = 0
    #: A shape of the domain that passes in plain Python.
    example: dict[str, int] = field(default_factory=dict)

    @property
    def where(self) -> tuple[str, ...]:
        """The domain as conditions of `--where`."""
        return tuple(one.text for one in (*self.preconditions, *self.limits))

    @property
    def accepted(self) -> tuple[Precondition, ...]:
        """The conditions that the kernel does not check, shapes beyond which fail."""
        return tuple(one for one in self.preconditions if one.failure is not None and not one.from_above)


def derive(
    target_for: Callable[[tuple[str, ...]], Target],
    exploration: Exploration,
    hardware: Hardware,
    options: Options,
    budget: Budget = Budget(),
) -> Derived:
    """The domain of a kernel. `target_for` gives the target restricted by more conditions; `exploration` is that of the
    unrestricted one."""
    return _Derivation(target_for, exploration, hardware, options, budget).run()


def already_proved(exploration: Exploration, runs: tuple[Run, ...], seconds: float) -> Derived:
    """What there is to say of a kernel that is proved on all shapes that its own asserts let pass."""
    program, assumed = exploration.run.program, exploration.assumptions
    guards = list(_guards(program, assumed))
    needed = without_implied(guards, [])
    stated = [Precondition(readable(one, program), asserted=True) for one in needed]
    texts = {item.text for item in items(program.body) if isinstance(item, Assume)}
    # What is no condition on dimensions that could be written down is said as the kernel says it.
    others = [text for text in assumed if " (line " in text and text not in texts] if not guards else []
    stated += [Precondition(text.rpartition(" (line ")[0], asserted=True) for text in others]
    proved = any(run.verdict is Verdict.SUCCESSFUL for run in runs)
    return Derived(tuple(stated), (), runs, proved, seconds)


class _Derivation:
    def __init__(
        self,
        target_for: Callable[[tuple[str, ...]], Target],
        exploration: Exploration,
        hardware: Hardware,
        options: Options,
        budget: Budget,
    ) -> None:
        self._started = time.perf_counter()
        self._deadline = time.monotonic() + budget.proving
        self._target_for = target_for
        self._options = options
        self._budget = budget
        self._program = exploration.run.program
        self._guards = list(_guards(self._program, exploration.assumptions))
        ranges = (at_least(one, one.low) for one in self._program.dimensions if not one.choices)
        self._assumed = [*domain_of(self._program, exploration.assumptions), *ranges]
        engine = EmbeddedEngine(self._program)
        engine.limit(budget.proving / 2)
        self._decisions = [
            one
            for phase in _INTEGER_PHASES
            for one in engine.decide(phase)
            if one.outcome in (Outcome.REFUTED, Outcome.UNDECIDED)
        ]
        self._numbers = constants(self._program, self._decisions)
        self._candidates = candidates(self._program, self._decisions, self._numbers)
        self._shapes = Shapes(exploration.target, self._program, self._assumed, hardware, budget.sampling)
        self._limit_places: dict[int, Decision] = {}
        self._limits = self._capacity()
        self._base: dict[str, int] = {}

    # --- the search ---------------------------------------------------------------------------------------------------

    def run(self) -> Derived:
        """Find a domain, and prove it."""
        expected = [part for one in self._decisions for part in _about(one)]
        pairs = related(self._decisions, self._program)
        base = self._shapes.first(self._numbers, expected, pairs)
        if base is None:
            return self._nothing_passes()
        self._base = base.values
        self._shapes.around(base.values, self._numbers, pairs)
        chosen = self._cover()
        runs: tuple[Run, ...] = ()
        proved = False
        deadline = self._deadline
        for _ in range(_ROUNDS):
            limits = self._needed_limits(chosen)
            runs = self._verdicts(self._texts(chosen, limits))
            proved = all(run.verdict in (Verdict.SUCCESSFUL, Verdict.VACUOUS) for run in runs)
            proved = proved and any(run.verdict is Verdict.SUCCESSFUL for run in runs)
            if proved or time.monotonic() > deadline or not self._learn(runs):
                break
            chosen = self._cover()
        limits = self._needed_limits(chosen)
        stated = self._stated(chosen.chosen, limits)
        bugs = [violation(one, self._program) for one in self._simplest(self._inside(chosen))]
        passing = self._passing_outside(chosen.chosen)
        failing = [one for one in self._shapes.runs.values() if one.kind in (Kind.FAILS, Kind.REJECTED)]
        return Derived(
            preconditions=tuple(one for one in stated if not (one.limit and _is_large(one))),
            limits=tuple(one for one in stated if one.limit and _is_large(one)),
            runs=runs,
            proved=proved,
            seconds=time.perf_counter() - self._started,
            bugs=tuple(bugs),
            passing=passing,
            outside=len(failing),
            tried=len(self._shapes.runs),
            example=base.values,
        )

    def _verdicts(self, texts: tuple[str, ...]) -> tuple[Run, ...]:
        """The verdicts on the domain that `texts` describe, in the time that is left."""
        left = max(1.0, self._deadline - time.monotonic())
        return tuple(verify(self._target_for(texts), replace(self._options, timeout=left)))

    def _nothing_passes(self) -> Derived:
        """What is said of a kernel of which no shape is found that passes: what is wrong, or why it cannot be told."""
        tried = len(self._shapes.runs)
        failing = [one for one in self._shapes.of(Kind.FAILS) if one.rule is not None]
        # Beyond what the hardware can hold every kernel fails: that is the bug only where nothing else is.
        plain = [one for one in failing if not _is_limit(one.rule.id, one.rule.statement)]  # type: ignore[union-attr]
        untold = self._shapes.of(Kind.UNTOLD)
        if untold and not plain:
            runs = self._verdicts(self._holdable())
            return Derived((), (), runs, False, time.perf_counter() - self._started, tried=tried)
        bugs = tuple(violation(one, self._program) for one in self._simplest(plain or failing, first=True))
        return Derived((), (), (), False, time.perf_counter() - self._started, bugs, tried=tried)

    def _holdable(self) -> tuple[str, ...]:
        """Upper bounds that refuted claims about what the hardware can hold state, as `--where` reads them."""
        texts = {
            readable(part, self._program)
            for one in self._decisions
            if _is_limit(one.claim.contract.id, one.claim.contract.statement)
            for part in _about(one)
            if isinstance(part, Condition) and is_upper_bound(part)
        }
        return tuple(sorted(texts - {""}))

    def _cover(self) -> Cover:
        passing, failing = self._split()
        return cover(
            self._candidates,
            [one.values for one in passing],
            [one.values for one in failing],
            self._program,
            needed=[Candidate(one, readable(one, self._program), 0.0) for one in self._guards],
        )

    def _split(self) -> tuple[list[Shown], list[Shown]]:
        """Shapes that a domain may have, and those that it may not: those that fail, are rejected, or of whose inputs a
        part is left out that is read at other sizes."""
        whole = {name for one in self._shapes.of(Kind.PASSES) for name in one.whole}
        passing = [one for one in self._shapes.of(Kind.PASSES) if not _dropped(one, whole)]
        dropping = [one for one in self._shapes.of(Kind.PASSES) if _dropped(one, whole)]
        failing = [*self._shapes.of(Kind.FAILS), *self._shapes.of(Kind.REJECTED), *dropping]
        return passing, failing

    def _inside(self, chosen: Cover) -> list[Shown]:
        _, failing = self._split()
        return [one for at, one in enumerate(failing) if at in chosen.inside and one.kind is Kind.FAILS]

    def _learn(self, runs: Iterable[Run]) -> bool:
        """Take from verdicts on a domain what keeps their witnesses out; whether there was anything new."""
        before = len(self._shapes.runs), len(self._candidates), len(self._limits)
        for run in runs:
            if run.verdict is not Verdict.FAILED:
                continue
            for text in run.suffices:
                self._add(text, run)
            for one in run.violations:
                if all(value <= LARGEST for value in one.values.values()):
                    self._shapes.run(dict(one.values), one.values, needed=True)
        return before != (len(self._shapes.runs), len(self._candidates), len(self._limits))

    def _add(self, text: str, run: Run) -> None:
        """A condition that keeps refuted claims of a run out."""
        condition = self._condition(text)
        rule = run.violations[0].contract if run.violations else ""
        known = (*self._candidates, *self._limits)
        if condition is None or any(text == one.text or condition.uid == one.condition.uid for one in known):
            return
        found = Candidate(condition, text, 1.0, rule)
        if is_upper_bound(condition) and rule.startswith(_LIMITS):
            self._limits.append(found)
        else:
            self._candidates.append(found)

    def _condition(self, text: str) -> Condition | None:
        _, node = parse("--where", text)
        found = meaning(node, {one.atom.name: of_atom(one.atom) for one in self._program.dimensions})
        return found if isinstance(found, Condition) else None

    @staticmethod
    def _texts(chosen: Cover, limits: Sequence[Candidate]) -> tuple[str, ...]:
        return tuple(one.text for one in (*chosen.chosen, *limits))

    # --- limits -------------------------------------------------------------------------------------------------------

    def _capacity(self) -> list[Candidate]:
        """Upper bounds, beyond the shapes that are run, that refuted claims state."""
        deadline = time.process_time() + 1.0
        found: dict[int, Candidate] = {}
        for decision in self._decisions:
            parts = [self._simple(part) for part in _about(decision)] if _stated_as_limit(decision) else []
            for part in parts:
                if part is None:
                    continue
                with_text: Sequence[Condition] = ()
                try:
                    with_text = plainer(part, self._program, self._guards, deadline)
                except UnsupportedConstruct:
                    continue
                for plain in with_text:
                    text = readable(plain, self._program)
                    if text and _bound_of(plain) > LARGEST:
                        found.setdefault(plain.uid, Candidate(plain, text, 1.0, decision.claim.contract.id))
                        self._limit_places.setdefault(plain.uid, decision)
        return list(found.values())

    def _simple(self, part: Condition) -> Condition | None:
        """An upper bound that is enough for `part`, without divisions by dimensions, which no proof gets past."""
        if isinstance(part, Junction) and not part.conjunction:
            ways = [way.parts if isinstance(way, Junction) else (way,) for way in part.parts]
            known = Prover(self._assumed, BUDGETS.statement)
            left = [[one for one in way if not known.entails(one)] for way in ways]
            simple = [way[0] for way in left if len(way) == 1 and is_upper_bound(way[0])]
            return simple[0] if simple else None
        if isinstance(part, Comparison) and part.relation is Relation.AT_MOST:
            # What is subtracted is at least zero.
            kept = {key: factor for key, factor in part.term.monomials.items() if factor > 0 or not key}
            less = at_most_zero(make(kept)) if len(kept) < len(part.term.monomials) else part
            part = less if isinstance(less, Condition) else part
        quotients: dict[Atom, Term] = {
            atom: atom.numerator for atom in part.atoms() if isinstance(atom, Div) and atom.denominator.constant is None
        }
        whole = part.substitute(quotients)
        # The divisors are at least 1.
        return whole if isinstance(whole, Condition) and is_upper_bound(whole) else None

    def _needed_limits(self, chosen: Cover) -> list[Candidate]:
        """The limits that do not follow from the rest."""
        conditions = [one.condition for one in (*chosen.chosen, *self._limits)]
        kept = {one.uid for one in without_implied(conditions, self._assumed)}
        return [one for one in self._limits if one.condition.uid in kept]

    # --- what is said of it -------------------------------------------------------------------------------------------

    def _stated(self, chosen: Sequence[Candidate], limits: Sequence[Candidate]) -> list[Precondition]:
        guards = {one.uid for one in self._guards}
        every = [one.condition for one in (*chosen, *limits)]
        needed = without_implied(every, [at_least(one, one.low) for one in self._shapes.dimensions])
        kept = [one for one in chosen if any(one.condition is each for each in needed)]
        kept.sort(key=self._reading_order)
        found = [self._precondition(one, kept, one.condition.uid in guards) for one in kept]
        for one in limits:
            decision = self._limit_places.get(one.condition.uid)
            site = decision.claim.site if decision is not None else None
            found.append(Precondition(one.text, site=site, limit=_limit_name(one.rule, decision)))
        return found

    def _reading_order(self, one: Candidate) -> tuple[int, int]:
        """Conditions about the dimensions that come first go first."""
        places = [at for at, each in enumerate(self._program.dimensions) if each.atom.name in one.dimensions]
        return (len(places) > 1, min(places, default=0))

    def _precondition(self, one: Candidate, kept: Sequence[Candidate], asserted: bool) -> Precondition:
        """What is known of one condition: who checks it, and what happens beyond."""
        text = one.text
        names = tuple(each.atom.name for each in self._program.dimensions if each.atom.name in one.dimensions)
        others = [other.condition for other in kept if other is not one]
        beyond = self._beyond(one.condition, others)
        if not beyond:
            self._probe(one.condition, others)
            beyond = self._beyond(one.condition, others)
        failing = [each for each in beyond if each.kind is Kind.FAILS]
        whole = {name for each in self._shapes.of(Kind.PASSES) for name in each.whole}
        dropping = [each for each in beyond if each.kind is Kind.PASSES and _dropped(each, whole)]
        found = Precondition(text, dimensions=names)
        if dropping:
            first = min(dropping, key=self._telling)
            part = _dropped(first, whole)[0]
            found = replace(found, site=part.site, dropped=part, dropped_at=first.values)
        if failing:
            worst = min(failing, key=self._telling)
            assert worst.rule is not None
            limited = is_upper_bound(one.condition) and _is_limit(worst.rule.id, worst.rule.statement)
            return replace(
                found,
                site=worst.site,
                failure=violation(worst, self._program),
                values=worst.values,
                limit=_limit_name(worst.rule.id, None) if limited else "",
            )
        rejected = [each for each in beyond if each.kind is Kind.REJECTED]
        if rejected or asserted:
            return replace(found, asserted=True, site=rejected[0].site if rejected else None)
        return found

    def _beyond(self, condition: Condition, others: Sequence[Condition]) -> list[Shown]:
        """The runs of shapes that break this condition only."""
        return [
            one
            for one in self._shapes.runs.values()
            if not holds(condition, one.values, self._program)
            and all(holds(other, one.values, self._program) for other in others)
        ]

    def _probe(self, condition: Condition, others: Sequence[Condition]) -> None:
        """Run a shape that breaks this condition only."""
        for bound in (1024, LARGEST):
            small = [part for one in self._shapes.dimensions for part in within(one, bound)]
            prover = Prover([condition.negation(), *others, *small], BUDGETS.statement)
            if prover.satisfiable() is Answer.YES:
                values = {one.atom.name: prover.model.get(one.atom, 1) for one in self._shapes.dimensions}
                self._shapes.run(values, values, needed=True)
                return

    def _passing_outside(self, chosen: Sequence[Candidate]) -> dict[str, int] | None:
        """The simplest shape outside the domain that passes, and leaves nothing of an input out."""
        passing, _ = self._split()
        outside = [
            one for one in passing if not all(holds(each.condition, one.values, self._program) for each in chosen)
        ]
        return min(outside, key=self._simplicity).values if outside else None

    def _simplicity(self, one: Shown) -> tuple[object, ...]:
        return simplicity(one.values, self._program.dimensions)

    def _telling(self, one: Shown) -> tuple[object, ...]:
        """Shapes at which every loop goes round first: that nothing at all is done says little."""
        return (any(value < self._base.get(name, 1) for name, value in one.values.items()), self._simplicity(one))

    def _simplest(self, failing: Sequence[Shown], first: bool = False) -> list[Shown]:
        """One failure of each contract and line; `first`: the earliest shapes that were tried are the likeliest."""
        found: dict[tuple[str, str, int], Shown] = {}
        for one in failing if first else sorted(failing, key=self._simplicity):
            found.setdefault(one.key, one)
        return list(found.values())


def _guards(program: Program, texts: Iterable[str]) -> Iterable[Condition]:
    """What the kernel's own preconditions say of the dimensions, each part by itself."""
    given = {
        item.condition.uid
        for item in program.body.items
        if isinstance(item, Assume) and item.text == "domain" and isinstance(item.condition, Condition)
    }
    for condition in domain_of(program, texts):
        parts: Sequence[Condition | bool] = [condition]
        if isinstance(condition, Junction) and condition.conjunction:
            parts = condition.parts
        for part in parts:
            if isinstance(part, Condition) and part.uid not in given and readable(part, program):
                yield part


def _about(decision: Decision) -> list[Condition]:
    """What a claim says of dimensions alone, in its loops' last iterations where it is about iterations."""
    found = list(about_dimensions(decision.claim.condition))
    for one in at_last_iteration(decision.claim.condition):
        found += about_dimensions(one)
    return found


def _stated_as_limit(decision: Decision) -> bool:
    """True if a claim is about what the hardware or its integers can hold, or an upper bound by its form."""
    if decision.claim.contract.id.startswith(_LIMITS):
        return True
    return any(is_upper_bound(part) for part in _about(decision))


def _dropped(one: Shown, whole: set[str]) -> list[Unread]:
    return [part for part in one.unread if part.name in whole]


def _bound_of(condition: Condition) -> int:
    """The number that an upper bound compares with."""
    parts = condition.parts if isinstance(condition, Junction) else (condition,)
    return max((-term.constant_part for part in parts for term in part.terms()), default=0)


def _is_large(one: Precondition) -> bool:
    numbers = [int(word) for word in one.text.replace("*", " ").split() if word.isdigit()]
    return max(numbers, default=0) > LARGEST


def _is_limit(rule: str, statement: str) -> bool:
    return rule.startswith(_LIMITS) or "at most" in statement


def _limit_name(rule: str, decision: Decision | None) -> str:
    if rule == "host.int32":
        return "32 bits"
    if rule.startswith("mem.") and decision is None and rule not in _ABOUT_EXTENTS:
        return "memory"
    quantities = dict(decision.claim.quantities) if decision is not None else {}
    for value in quantities.values():
        if str(value) in ("sbuf", "psum"):
            return str(value).upper()
    return rule
