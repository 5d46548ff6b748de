"""The largest domain, in a small language, on which a kernel is proved in every phase.

Candidates come from what the program divides and compares, and from refuted claims. Concrete runs of small shapes say
which of them keep the shapes out that the kernel fails for, or rejects. What is chosen is proved as a domain, by the
same call as `--where` makes; a shape that fails there is one more run, until the proof succeeds or nothing is left to
try. Nothing is legal because it was inferred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import gcd, inf, lcm

from nkiverify.engines.embedded import Decision, Outcome
from nkiverify.engines.shapes import domain_of
from nkiverify.foundation.budget import DerivingBudget, SearchingBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.records import BOUNDED, Basis, Run, Verdict
from nkiverify.foundation.source import Site
from nkiverify.frontend.domain.expressions import condition as meaning
from nkiverify.frontend.domain.syntax import parse
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware
from nkiverify.products.derive.capacity_limits import CapacityLimits, about
from nkiverify.products.derive.cover import Cover, Likely, cover, holds
from nkiverify.products.derive.domain_candidates import (
    Candidate,
    DimensionConstants,
    about_products,
    all_of_it,
    bounds_seen,
    candidates,
    constants,
    has_minimum,
    is_upper_bound,
    plainest,
    readable,
    related,
    whole_quotients,
    without_minima,
)
from nkiverify.products.derive.runs import ConcreteResult, ShapeOutcome, told_by, violation
from nkiverify.products.derive.sampling import SampledShapes
from nkiverify.products.derive.statements import Derived, Precondition, Statements, enforced, guards, simplest, unsaid
from nkiverify.project.ways import verdicts_by_ways, ways_through
from nkiverify.symbolic.atoms import Dimension
from nkiverify.symbolic.conditions import Comparison, Condition, Relation, negate
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.terms import of_atom
from nkiverify.verify.exploration import Exploration, explore
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from nkiverify.verify.witness.sufficient import about_dimensions, without_implied

#: The conditions of each way.
_Ways = tuple[tuple[str, ...], ...]


def derive(
    target_for: Callable[[tuple[str, ...]], Target],
    exploration: Exploration,
    decisions: Sequence[Decision],
    hardware: Hardware,
    options: Options,
    seconds: float,
    grid: frozenset[str] = frozenset(),
) -> Derived:
    """The domain of a kernel. `target_for` gives the target restricted by more conditions; `exploration` is that of the
    unrestricted one, with the `decisions` about its claims on integers; `grid` are the dimensions of its launch grid.
    After this many `seconds` no further domain is proved."""
    return _Derivation(target_for, exploration, decisions, hardware, options, seconds, grid).run()


@dataclass(frozen=True, slots=True)
class _Bound:
    """A condition of `--where` beyond which nothing is proved, and why not."""

    text: str
    why: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class _Found:
    """Conditions, the verdicts on the domain that they are, and whether every phase is proved there.

    `ways` are those through the disjunctions among the conditions, where each is proved for itself. `bounds` are the
    conditions among them beyond which nothing is proved for want of a proof, not since anything fails.
    """

    chosen: Cover
    runs: tuple[Run, ...]
    proved: bool
    ways: _Ways = ()
    bounds: tuple[_Bound, ...] = ()


class _Derivation:
    def __init__(
        self,
        target_for: Callable[[tuple[str, ...]], Target],
        exploration: Exploration,
        decisions: Sequence[Decision],
        hardware: Hardware,
        options: Options,
        seconds: float,
        grid: frozenset[str],
    ) -> None:
        self._started = now()
        self._grid = grid
        self._deadline = now() + seconds
        self._target_for = target_for
        self._hardware = hardware
        self._options = options
        self._exploration = exploration
        self._program = exploration.run.program
        self._guards = list(guards(self._program, exploration.assumptions))
        self._assumptions = exploration.assumptions
        self._ranges = [one.at_least(one.low) for one in self._program.dimensions if not one.choices]
        self._assumed = [*domain_of(self._program, exploration.assumptions), *self._ranges]
        self._decisions = [one for one in decisions if one.outcome in (Outcome.REFUTED, Outcome.UNDECIDED)]
        self._numbers = constants(self._program, self._decisions)
        self._candidates = candidates(self._program, self._decisions, self._numbers)
        #: Those by which shapes are distinguished.
        self._first = tuple(self._candidates)
        told_by = [one.condition for one in self._first]
        self._shapes = SampledShapes(exploration.target, self._program, self._assumed, hardware, seconds, told_by)
        self._bounds_seen = True
        #: Under what claims that are refuted hold; the shape that passes; and conditions that were put to the test.
        self._expected = list({part.uid: part for one in self._decisions for part in _expected_of(one)}.values())
        self._base: dict[str, int] = {}
        self._tested: set[int] = set()
        #: Runs all neighbours of the shape that passes; None where that is done.
        self._all_around: Callable[[], None] | None = None
        self._limits = CapacityLimits(self._program, self._decisions, self._guards, self._assumed)

    # --- the search ---------------------------------------------------------------------------------------------------

    def run(self) -> Derived:
        """Find a domain, and prove it."""
        expected, pairs = self._expected, related(self._decisions)
        base = self._shapes.first(self._numbers, expected, pairs, whole_quotients(self._program))
        if base is None:
            return self._nothing_passes()
        self._base = base.values
        self._shapes.around(base.values, self._numbers, pairs, expected)
        self._all_around = partial(self._shapes.around, base.values, self._numbers, pairs, expected, inf)
        found = self._proof(self._cover(), self._cover)
        if not found.proved and any(one.seen for one in found.chosen.chosen):
            # Less may be proved where a relation to another dimension keeps the same shapes out.
            self._bounds_seen = False
            other = self._proof(self._cover(), self._cover)
            found = other if other.proved else found
        return self._said(found, base.values)

    def _proof(self, chosen: Cover, again: Callable[[], Cover]) -> _Found:
        """The domain `chosen`, as far as it can be proved; what verdicts on it show is taken into account by
        `again`."""
        deadline, effort = self._deadline, DerivingBudget.SHARE_OF_A_SEARCH
        for _ in range(DerivingBudget.DOMAINS_TRIED):
            began = now()
            limits = self._limits.needed(chosen.chosen)
            texts = self._texts(chosen, limits)
            found, ways = self._by_ways(texts, effort)
            if not ways:
                found = self._verdicts(texts, effort)
            runs = tuple(map(self._without_limits, found))
            proved = all(run.verdict in (Verdict.SUCCESSFUL, Verdict.VACUOUS) for run in runs)
            proved = proved and any(run.verdict is Verdict.SUCCESSFUL for run in runs)
            # What there is no time to prove again says less than what is known.
            late = now() + (now() - began) > deadline
            if proved or late:
                break
            if self._learn(found) or self._bounded(found):
                chosen, effort = again(), DerivingBudget.SHARE_OF_A_SEARCH
            elif effort < 1 and any(run.verdict is Verdict.UNKNOWN for run in found):
                effort = 1.0  # a longer search may show why
            else:
                break
        if proved and any(run.is_bounded for run in runs):
            return self._within_bounds(_Found(chosen, runs, False, ways))
        return _Found(chosen, runs, proved, ways)

    def _within_bounds(self, found: _Found) -> _Found:
        """The domain proved up to a bound, with the bound as a condition of the domain, if all is proved there."""
        bounds = {
            text: _Bound(text, run.reason, run.place) for run in found.runs if run.is_bounded for text in run.suffices
        }
        texts = (*self._texts(found.chosen, self._limits.needed(found.chosen.chosen)), *bounds)
        runs = self._verdicts(texts, 1.0) if bounds else ()
        shown = all(run.verdict in (Verdict.SUCCESSFUL, Verdict.VACUOUS) and not run.is_bounded for run in runs)
        if not runs or not shown:
            return found
        # Said as it is: a part of the domain.
        within = f"{BOUNDED} {', '.join(bounds)}"
        open_phases = {run.phase: run for run in found.runs if run.is_bounded}
        reported = [
            replace(
                run,
                basis=Basis.BOUNDED,
                qualifier=", ".join(filter(None, (within, run.qualifier))),
                reason=open_phases[run.phase].reason,
                place=open_phases[run.phase].place,
                advice=open_phases[run.phase].advice,
                accept=open_phases[run.phase].accept,
            )
            if run.phase in open_phases and run.verdict is Verdict.SUCCESSFUL
            else run
            for run in runs
        ]
        return replace(found, runs=tuple(reported), proved=True, bounds=tuple(bounds.values()))

    def _by_ways(self, texts: tuple[str, ...], effort: float) -> tuple[tuple[Run, ...], _Ways]:
        """The verdicts on a domain with disjunctions, where every phase is proved for each way through them, with these
        ways; else nothing."""
        ways = tuple(ways_through(texts))
        runs = verdicts_by_ways(self._verdicts(way, effort) for way in ways)
        return (runs, ways) if runs else ((), ())

    def _without_limits(self, run: Run) -> Run:
        """`run`, UNKNOWN where it fails only beyond what the hardware can hold: it is not known up to where it does
        not."""
        limits = all(contract(one.contract).refuses_large for one in run.violations)
        if run.verdict is not Verdict.FAILED or not limits:
            return run
        why, advice = f"the time limit of {self._options.timeout:g} s", "raise --timeout"
        if now() <= self._deadline:
            first = run.violations[0]
            values = ", ".join(f"{name} = {value}" for name, value in first.witness.items())
            why = f"{first.contract} does not hold for {values}, and no bounds were found within which it does"
            advice = "bound the dimensions with --where"
        return replace(
            run,
            verdict=Verdict.UNKNOWN,
            basis=Basis.UNDECIDED,
            qualifier="",
            reason=why,
            advice=advice,
            violations=(),
        )

    def _bounded(self, runs: Iterable[Run]) -> bool:
        """Bound the largest dimension of what fails only beyond what the hardware can hold, below where it does;
        whether there was any. That is enough where sizes that are smaller do not fail."""
        before = len(self._limits.shown)
        for run in runs:
            for one in run.violations if run.verdict is Verdict.FAILED else ():
                name, value = max(one.values.items(), key=lambda pair: pair[1], default=("", 0))
                text = f"{name} <= {value - 1}"
                condition = self._condition(text) if value > SearchingBudget.NEAR else None
                if condition is not None and contract(one.contract).limit:
                    self._limits.bound(Candidate(condition, text, 1.0, one.contract), one)
        return len(self._limits.shown) > before

    def _said(self, found: _Found, base: dict[str, int]) -> Derived:
        """The domain `found`, with what is to be said of each of its conditions; `base` is a shape that passes."""
        own = {one.uid for one in self._guards}
        chosen = replace(found.chosen, chosen=plainest(found.chosen.chosen, own, self._program))
        within = [one for one in map(self._condition, (each.text for each in found.bounds)) if one is not None]
        limits = self._limits.needed(chosen.chosen, within)
        statements = Statements(self._program, self._shapes, self._guards, base, self._limits.places, self._grid)
        stated = statements.preconditions(chosen.chosen, limits, found.proved)
        said = [*self._ranges, *(one.condition for one in (*chosen.chosen, *limits))]
        stated += unsaid(self._program, self._assumptions, said)
        proved, runs = found.proved, found.runs
        # Of a domain that is one shape it is known: it passes.
        if proved and self._exploration.run.unsupported_construct is not None and not self._is_one_shape(said):
            texts = (*self._texts(chosen, limits), *(one.text for one in found.bounds))
            try:
                stated += self._asserted_within(texts)
            except UnsupportedConstruct as limit:
                proved, runs = False, tuple(_without_asserts(run, limit) for run in runs)
        inside = self._simplest(self._inside(chosen))
        failing = [one for one in self._shapes.runs.values() if one.kind in (ShapeOutcome.FAILS, ShapeOutcome.REJECTED)]
        preconditions = tuple(one for one in stated if not (one.limit and one.large))
        reported = {one.text: one for one in preconditions}
        needed = [one.condition for one in chosen.chosen if one.text in reported]
        # What is seen to be accepted needs no proof that it may be.
        accepts = any(reported[one.text].is_accepted_beyond for one in chosen.chosen if one.text in reported)
        bounds = [Precondition(one.text, site=one.site, bound=one.why) for one in found.bounds]
        return Derived(
            preconditions=(*preconditions, *bounds),
            limits=tuple(one for one in stated if one.limit and one.large),
            runs=runs,
            proved=proved,
            seconds=now() - self._started,
            bugs=tuple(violation(one, self._program) for one in inside),
            passing=statements.passing_outside(chosen.chosen),
            outside=len(failing),
            tried=len(self._shapes.runs),
            ran=self._shapes.ran,
            example=base,
            ways=found.ways,
            enforced=not accepts and enforced(self._exploration, needed),
        )

    def _is_one_shape(self, conditions: Sequence[Condition | bool]) -> bool:
        """True if a shape that passes is all that the conditions allow."""
        known = Prover(conditions, BUDGETS.statement)
        return any(
            all(known.entails(one.equals(passing.values[one.atom.name])) for one in self._shapes.dimensions)
            for passing in self._shapes.of(ShapeOutcome.PASSES)
        )

    def _asserted_within(self, texts: tuple[str, ...]) -> list[Precondition]:
        """The kernel's own preconditions that do not follow from the domain.

        Those behind the place where the run of the unrestricted kernel ended are seen within the domain only. Raises
        `UnsupportedConstruct` where they cannot be known.
        """
        left = max(DerivingBudget.LEAST_SECONDS, self._deadline - now())
        within = explore(self._target_for(texts), self._hardware, Limits(seconds=left))
        program, assumed = within.run.program, within.assumptions
        unsupported = within.run.unsupported_construct
        if unsupported is not None:
            raise UnsupportedConstruct(unsupported.construct, unsupported.advice, unsupported.site)
        ranges = [one.at_least(one.low) for one in program.dimensions if not one.choices]
        known = [*domain_of(program, ()), *ranges]
        prover = Prover(known, BUDGETS.statement)
        own = [one for one in guards(program, assumed) if not prover.entails(one)]
        needed = [Precondition(readable(one, program), asserted=True) for one in without_implied(own, known)]
        return needed + unsaid(program, assumed, [*known, *own])

    def _verdicts(self, texts: tuple[str, ...], effort: float) -> tuple[Run, ...]:
        """The verdicts on the domain that `texts` describe, in the time that is left."""
        left = max(DerivingBudget.LEAST_SECONDS, self._deadline - now())
        share = replace(self._options, timeout=left, share_of=self._options.timeout, effort=effort)
        return tuple(verify(self._target_for(texts), share))

    def _nothing_passes(self) -> Derived:
        """The message about a kernel of which no shape is found that passes: what is wrong, or why it cannot be
        reported."""
        tried = len(self._shapes.runs)
        failing = [one for one in self._shapes.of(ShapeOutcome.FAILS) if one.rule is not None]
        # Beyond what the hardware can hold every kernel fails: that is the bug only where nothing else comes as far.
        plain = [one for one in failing if one.rule is not None and not one.rule.refuses_large]
        furthest = max((one.reached for one in plain), default=0)
        likely = [one for one in failing if one in plain or one.reached > furthest]
        untold = self._shapes.of(ShapeOutcome.UNTOLD)
        if not plain:
            own = Cover((*self._own_guards(), *self._limits.holdable()))
            found = self._proof(own, lambda: own)
            if found.proved or untold or not likely:
                return self._said(found, {})
        bugs = tuple(violation(one, self._program) for one in self._simplest(likely))
        seconds = now() - self._started
        return Derived((), (), (), False, seconds, bugs, tried=tried, untold=len(untold), ran=self._shapes.ran)

    def _simplest(self, failing: Sequence[ConcreteResult]) -> list[ConcreteResult]:
        """One failure of each contract and line, at the least of the shapes that have whole tiles."""
        tiles = {name: _tile(name, one, self._expected) for name, one in self._numbers.items()}
        return simplest(failing, self._program, tiles, related(self._decisions))

    def _own_guards(self) -> Iterator[Candidate]:
        """The kernel's own preconditions."""
        for one in self._guards:
            yield Candidate(one, readable(one, self._program), 0.0)

    def _cover(self) -> Cover:
        found = self._covered()
        if self._all_around is not None and any(one.seen for one in found.chosen):
            # Beyond a bound that nothing else speaks for shapes may pass, whatever others are like them.
            self._all_around()
            self._all_around = None
            found = self._covered()
        for _ in range(SearchingBudget.HALVINGS):
            own = {one.uid for one in self._guards}
            bounds = [one for one in found.chosen if is_upper_bound(one.condition) and one.condition.uid not in own]
            if not any(self._narrow(one, found.chosen) for one in bounds if len(one.dimensions) == 1):
                break
            found = self._covered()
        while any(self._is_refuted(one) for one in found.chosen):
            found = self._covered()
        return found

    def _is_refuted(self, equation: Candidate) -> bool:
        """True if a shape passes at which two dimensions differ that were the same in all shapes that had been run,
        though no claim says so: each such equation is asked about once."""
        condition = equation.condition
        is_equation = isinstance(condition, Comparison) and condition.relation is Relation.EQUAL
        if not is_equation or len(equation.dimensions) < 2 or condition.uid in self._tested or not self._base:
            return False
        self._tested.add(condition.uid)
        stated = [*self._guards, *(part for one in self._expected for part in (one, *all_of_it(one)))]
        if any(condition is one for one in stated):
            return False
        shown = self._shapes.solved(self._base, self._expected, negate(condition))
        if shown is None or shown.kind is not ShapeOutcome.PASSES:
            return False
        return not holds(condition, shown.values, self._program)

    def _narrow(self, bound: Candidate, chosen: Sequence[Candidate]) -> bool:
        """Run a shape half-way between the greatest size of a dimension that passes and the least beyond that fails for
        its `bound` alone; whether there was one that tells something."""
        (name,) = bound.dimensions
        others = [one.condition for one in chosen if one is not bound]
        passing, failing = self._shapes.split()
        greatest = max((one.values[name] for one in passing), default=0)
        beyond = [
            one
            for one in failing
            if one.values[name] > greatest and all(holds(each, one.values, self._program) for each in others)
        ]
        if not greatest or not beyond:
            return False
        least = min(beyond, key=lambda one: one.values[name])
        ends = greatest, least.values[name]
        step = max((each for each in self._numbers[name].divisors if not any(end % each for end in ends)), default=1)
        middle = sum(end // step for end in ends) // 2 * step
        if middle == greatest:
            return False
        shown = self._shapes.run({**least.values, name: middle}, (name,), needed=True)
        return shown is not None and shown.kind is not ShapeOutcome.UNTOLD

    def _covered(self) -> Cover:
        passing, failing = ([one.values for one in part] for part in self._shapes.split())
        known = {one.condition.uid for one in self._candidates}
        seen = bounds_seen(self._program, self._numbers, passing, failing) if self._bounds_seen else ()
        new = [one for one in seen if one.condition.uid not in known]
        likely = Likely(self._shapes.left_out(), self._first)
        every = [*self._candidates, *new]
        return cover(every, passing, failing, self._program, needed=self._own_guards(), likely=likely)

    def _inside(self, chosen: Cover) -> list[ConcreteResult]:
        _, failing = self._shapes.split()
        return [one for at, one in enumerate(failing) if at in chosen.inside and one.kind is ShapeOutcome.FAILS]

    def _learn(self, runs: Iterable[Run]) -> bool:
        """Take from verdicts on a domain what keeps their witnesses out; whether there was anything new."""
        before = self._known()
        for run in runs:
            if run.verdict is not Verdict.FAILED:
                continue
            for text in run.suffices:
                self._add(text, run)
            for one in run.violations:
                if any(value > SearchingBudget.NEAR for value in one.values.values()):
                    # Too large to be run in all phases; what the hardware cannot hold is bounded otherwise.
                    if one.replayed and not contract(one.contract).limit:
                        self._shapes.runs.setdefault(tuple(one.values.values()), told_by(one))
                else:
                    shown = self._shapes.run(dict(one.values), one.values, needed=True)
                    if shown is not None and shown.kind is ShapeOutcome.UNTOLD and one.replayed:
                        self._shapes.runs[tuple(shown.values.values())] = told_by(one)
        return before != self._known()

    def _known(self) -> tuple[int, int, int]:
        """How many shapes tell something, and how many candidates and limits there are."""
        telling = sum(one.kind is not ShapeOutcome.UNTOLD for one in self._shapes.runs.values())
        return telling, len(self._candidates), len(self._limits.shown)

    def _add(self, text: str, run: Run) -> None:
        """A condition that keeps refuted claims of a run out."""
        condition = self._condition(text)
        rule = run.violations[0].contract if run.violations else ""
        known = (*self._candidates, *self._limits.known())
        if condition is None or any(text == one.text or condition.uid == one.condition.uid for one in known):
            return
        # `scale == 1` says more than `rows == rows*scale`.
        found = Candidate(condition, text, 1.4 if about_products(condition) else 1.0, rule)
        if is_upper_bound(condition) and rule and contract(rule).limit:
            self._limits.shown.append(found)
        else:
            self._candidates.append(found)
            for whole in all_of_it(condition):
                self._candidates.append(Candidate(whole, readable(whole, self._program), 0.1 + found.cost, rule))

    def _condition(self, text: str) -> Condition | None:
        _, node = parse("--where", text)
        found = meaning(node, {one.atom.name: of_atom(one.atom) for one in self._program.dimensions})
        return found if isinstance(found, Condition) else None

    @staticmethod
    def _texts(chosen: Cover, limits: Sequence[Candidate]) -> tuple[str, ...]:
        return tuple(one.text for one in (*chosen.chosen, *limits))


def _tile(name: str, numbers: DimensionConstants, expected: Iterable[Condition]) -> int:
    """The least size of a dimension that is whole tiles: what it is divided by, or else compared with, a number or a
    multiple of others (128 for `128*G <= rows`)."""
    found = lcm(*numbers.divisors) if numbers.divisors else min(numbers.bounds, default=1)
    for condition in expected:
        factors = dict(condition.term.monomials) if isinstance(condition, Comparison) else {}
        own = [key for key in factors if len(key) == 1 and isinstance(key[0], Dimension) and key[0].name == name]
        others = [abs(factor) for key, factor in factors.items() if key and key not in own]
        if own and others and abs(factors[own[0]]) == 1:
            found = lcm(found, gcd(*others))
    return found


def _without_asserts(run: Run, limit: UnsupportedConstruct) -> Run:
    """`run` of a domain of which it is not known what the kernel's own asserts reject: they are assumed in it."""
    return replace(
        run,
        verdict=Verdict.UNKNOWN,
        basis=Basis.UNSUPPORTED,
        qualifier="",
        reason=f"which of these shapes the kernel's own asserts let pass is not known: {limit.construct}",
        place=limit.site,
        advice=limit.advice,
    )


def _expected_of(decision: Decision) -> list[Condition]:
    """The same for shapes that are looked for: without minima where that is enough."""
    simpler = list(without_minima(decision.claim.condition))
    stated = about(decision)
    if simpler:
        stated = [one for one in stated if not has_minimum(one)]
    if decision.claim.condition is False and decision.hypotheses:
        # Nothing holds where the path ends: its last branch has to go the other way.
        stated += about_dimensions(negate(decision.hypotheses[-1]))
    return [*stated, *simpler]
