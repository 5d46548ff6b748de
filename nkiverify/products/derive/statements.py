"""The statements about a domain that was found: each condition with who checks it and what fails beyond, limits,
bugs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from nkiverify.engines.embedded import Decision
from nkiverify.engines.shapes import domain_of
from nkiverify.foundation.budget import DerivingBudget, SearchingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Run, Verdict, Violation
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Assume, Block, Branch, Claim, Loop, Program
from nkiverify.ir.walk import Visitor, of_kind
from nkiverify.products.derive.domain_candidates import Candidate, bounds_from_above, readable, within
from nkiverify.symbolic.conditions import Condition, Junction
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.witness.sufficient import without_implied

if TYPE_CHECKING:
    from nkiverify.engines.minimise import Simplicity
    from nkiverify.products.derive.dead import Dead
    from nkiverify.products.derive.runs import ConcreteResult, UnreadPart
    from nkiverify.products.derive.sampling import SampledShapes


#: Contracts of memory whose name says more than that they are.
_ABOUT_EXTENTS = frozenset({"mem.partitions_128", "mem.vec_free_limit", "mem.ap_isa_ranges"})


@dataclass(frozen=True, slots=True)
class Precondition:
    """One condition of the domain, written as `--where` reads it.

    `asserted`: the kernel itself rejects shapes beyond, at `site`. `failure`: a shape beyond that the kernel accepts,
    and what goes wrong there. `dropped`: one that it accepts, of which it leaves out a part of an input, `dropped_at`.
    `limit`: it is an upper bound that memory ("SBUF"), integers ("32 bits") or an instruction sets. `verbatim`: it is
    an assert as the kernel has it, which `--where` does not read. `launch`: it is about the launch grid, which who
    launches the kernel chooses. `bound`: nothing fails beyond it that was run, and nothing is proved; it says why.
    `dead` are places of the kernel that serve nothing where it holds, so that the fault is one of the kernel's text.
    """

    text: str
    asserted: bool = False
    verbatim: bool = False
    site: Site | None = None
    failure: Violation | None = None
    dropped: UnreadPart | None = None
    dropped_at: dict[str, int] = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)
    limit: str = ""
    dimensions: tuple[str, ...] = ()
    launch: bool = False
    bound: str = ""
    dead: tuple[Dead, ...] = ()

    @property
    def is_accepted_beyond(self) -> bool:
        """True if the kernel has come to its end for a shape beyond, whatever contract it has broken."""
        raised = self.failure is not None and self.failure.contract.startswith(("kernel.", "host."))
        return self.dropped is not None or (self.failure is not None and not raised)

    @property
    def is_unchecked(self) -> bool:
        """True if the kernel does not check it, and it is no limit of the hardware; or if it leaves a part dead."""
        fails = self.failure is not None and not self.from_above and not self.launch
        return fails or bool(self.dead) or self.dropped is not None

    @property
    def is_offered(self) -> bool:
        """True if an assert of it may be what the kernel lacks: no part of the kernel is dead where it holds."""
        return not self.asserted and not self.dead

    @property
    def from_above(self) -> bool:
        """True if it limits the sizes from above only, by what the hardware can hold."""
        return bool(self.limit)

    @property
    def large(self) -> bool:
        """True if it compares with a size beyond those that are run."""
        numbers = [int(word) for word in self.text.replace("*", " ").split() if word.isdigit()]
        return max(numbers, default=0) > SearchingBudget.NEAR


@dataclass(frozen=True, slots=True)
class Derived:
    """The domain for which a kernel is legal, as far as it is known.

    `runs` are the verdicts on the domain, `bugs` what fails whatever the domain is. `proved`: every phase is proved on
    the domain. `passing` is the smallest shape outside that passes, of `outside` that were run; `tried`
    is how many were run in all, of which `untold` showed nothing.
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
    untold: int = 0
    #: The shapes that were run, with the value of the `ShapeOutcome` that each showed, those that came furthest first.
    ran: tuple[tuple[dict[str, int], str], ...] = ()
    #: A shape of the domain that passes concretely.
    example: dict[str, int] = field(default_factory=dict)
    #: The conditions of each way through the disjunctions among them, where each is proved for itself.
    ways: tuple[tuple[str, ...], ...] = ()
    #: The kernel provably accepts no shape outside of the preconditions.
    enforced: bool = False

    @property
    def where(self) -> tuple[str, ...]:
        """The domain as conditions of `--where`, but for what the kernel's own asserts say besides them."""
        return tuple(one.text for one in (*self.preconditions, *self.limits) if not one.verbatim)

    @property
    def is_said(self) -> bool:
        """True if `where` says all of the domain."""
        return not any(one.verbatim for one in self.preconditions)

    @property
    def accepted(self) -> tuple[Precondition, ...]:
        """The conditions that the kernel does not check, shapes beyond which fail; but for those of its launch."""
        failing = (one for one in self.preconditions if one.failure is not None and not one.from_above)
        return tuple(one for one in failing if not one.launch)


class Statements:
    """Says of a domain what the runs of `shapes` show.

    `base` is a shape that passes, `guards` are the kernel's own preconditions, `limit_places` the claims of limits,
    `grid` the dimensions of the launch grid.
    """

    def __init__(
        self,
        program: Program,
        shapes: SampledShapes,
        guards: Sequence[Condition],
        base: Mapping[str, int],
        limit_places: Mapping[int, Decision],
        grid: frozenset[str],
    ) -> None:
        self._program = program
        self._shapes = shapes
        self._guards = guards
        self._base = base
        self._limit_places = limit_places
        self._grid = grid

    def preconditions(
        self, chosen: Sequence[Candidate], limits: Sequence[Candidate], proved: bool
    ) -> list[Precondition]:
        """The conditions of the domain, none that follows from the others; then its limits. Of one that is not `proved`
        nothing is said to be dead: another condition may be what it lacks."""
        own = {one.uid for one in self._guards}
        every = [one.condition for one in (*chosen, *limits)]
        needed = without_implied(every, [one.at_least(one.low) for one in self._shapes.dimensions])
        kept = [one for one in chosen if any(one.condition is each for each in needed)]
        kept.sort(key=self._reading_order)
        found = [self._precondition(one, kept, one.condition.uid in own) for one in kept]
        for one in limits:
            decision = self._limit_places.get(one.condition.uid)
            site = decision.claim.site if decision is not None else None
            found.append(Precondition(one.text, site=site, limit=_limit_name(one.rule, decision)))
        return self._with_dead(found, [*kept, *limits]) if proved else found

    def _with_dead(self, stated: Sequence[Precondition], of: Sequence[Candidate]) -> list[Precondition]:
        """The conditions that the kernel does not check, each with what is dead where it holds. One with such places
        is no limit: who wrote the kernel meant larger sizes."""
        from nkiverify.products.derive.dead import dead_where, square_where

        ranges = [one.at_least(one.low) for one in self._program.dimensions if not one.choices]
        found = []
        for number, (precondition, candidate) in enumerate(zip(stated, of, strict=True)):
            if not precondition.asserted and not precondition.launch:
                others = [one.condition for at, one in enumerate(of) if at != number]
                dead = (
                    *dead_where(self._program, candidate.condition, [*self._guards, *ranges, *others]),
                    *square_where(self._program, candidate.condition, precondition.site),
                )
                limit = "" if dead and precondition.failure is not None else precondition.limit
                precondition = replace(precondition, dead=dead, limit=limit)
            found.append(precondition)
        return found

    def _reading_order(self, one: Candidate) -> tuple[int, int]:
        """Conditions about the dimensions that come first go first."""
        places = [at for at, each in enumerate(self._program.dimensions) if each.atom.name in one.dimensions]
        return (len(places) > 1, min(places, default=0))

    def _precondition(self, one: Candidate, kept: Sequence[Candidate], asserted: bool) -> Precondition:
        """The facts about one condition: who checks it, and what happens beyond."""
        from nkiverify.products.derive.runs import ShapeOutcome, violation

        text = one.text
        names = tuple(each.atom.name for each in self._program.dimensions if each.atom.name in one.dimensions)
        others = [other.condition for other in kept if other is not one]
        beyond = self._beyond(one.condition, others)
        if not beyond:
            self._probe(one.condition, others)
            beyond = self._beyond(one.condition, others)
        failing = [each for each in beyond if each.kind is ShapeOutcome.FAILS]
        whole = self._shapes.whole
        dropping = [each for each in beyond if each.kind is ShapeOutcome.PASSES and each.dropped(whole)]
        # How large a grid has to be for a shape is its launcher's; which grids there may be at all is not.
        launch = not self._grid.isdisjoint(names) and not self._grid.issuperset(names)
        found = Precondition(text, dimensions=names, launch=launch)
        if dropping:
            first = min(dropping, key=self._telling)
            part = first.dropped(whole)[0]
            found = replace(found, site=part.site, dropped=part, dropped_at=first.values)
        if failing:
            worst = min(failing, key=self._telling)
            assert worst.rule is not None
            limited = bounds_from_above(one.condition) and worst.rule.limit
            return replace(
                found,
                site=worst.site,
                failure=violation(worst, self._program),
                values=worst.values,
                limit=_limit_name(worst.rule.id, None) if limited else "",
                launch=launch and worst.rule.id != "df.programs",
            )
        rejected = [each for each in beyond if each.kind is ShapeOutcome.REJECTED]
        if rejected or asserted:
            return replace(found, asserted=True, site=rejected[0].site if rejected else None)
        return found

    def _beyond(self, condition: Condition, others: Sequence[Condition]) -> list[ConcreteResult]:
        """The runs of shapes that break this condition only."""
        from nkiverify.products.derive.cover import holds

        return [
            one
            for one in self._shapes.runs.values()
            if not holds(condition, one.values, self._program)
            and all(holds(other, one.values, self._program) for other in others)
        ]

    def _probe(self, condition: Condition, others: Sequence[Condition]) -> None:
        """Run a shape that breaks this condition only."""
        for bound in (1024, SearchingBudget.NEAR):
            small = [part for one in self._shapes.dimensions for part in within(one, bound)]
            prover = Prover([condition.negation(), *others, *small], BUDGETS.statement)
            if prover.satisfiable() is Answer.YES:
                values = {one.atom.name: prover.model.get(one.atom, 1) for one in self._shapes.dimensions}
                self._shapes.run(values, values, needed=True)
                return

    def passing_outside(self, chosen: Sequence[Candidate]) -> dict[str, int] | None:
        """The simplest shape outside the domain that passes, and leaves nothing of an input out. A few that were left
        out, as they are like others that pass, are run where they are simpler."""
        from nkiverify.products.derive.cover import holds
        from nkiverify.products.derive.runs import ShapeOutcome

        def outside(values: Mapping[str, int]) -> bool:
            return not all(holds(each.condition, values, self._program) for each in chosen)

        passing, _ = self._shapes.split()
        found = min((one.values for one in passing if outside(one.values)), key=self._simplicity, default=None)
        simpler = [
            values
            for values in self._shapes.left_out()
            if outside(values) and (found is None or self._simplicity(values) < self._simplicity(found))
        ]
        for values in sorted(simpler, key=self._simplicity)[: DerivingBudget.SHAPES_LEFT_OUT]:
            one = self._shapes.run(values, values, needed=True)
            if one is not None and one.kind is ShapeOutcome.PASSES and not one.dropped(self._shapes.whole):
                return one.values
        return found

    def _simplicity(self, values: Mapping[str, int]) -> Simplicity:
        from nkiverify.engines.minimise import simplicity

        return simplicity(values, self._program.dimensions)

    def _telling(self, one: ConcreteResult) -> tuple[object, ...]:
        """Shapes at which every loop goes round first: that nothing at all is done says little."""
        fewer = any(value < self._base.get(name, 1) for name, value in one.values.items())
        return (fewer, self._simplicity(one.values))


def simplest(
    failing: Sequence[ConcreteResult], program: Program, tiles: Mapping[str, int], pairs: Sequence[tuple[str, str]]
) -> list[ConcreteResult]:
    """One failure of each contract and line, on the simplest shape.

    Those come first where the kernel has done most until then: it is less likely that only the shape is wrong. Of one
    of these the shape is the least at which dimensions have whole `tiles`, and those of the `pairs` that belong
    together are the same where they were.
    """
    from nkiverify.engines.minimise import simplicity

    def is_like(one: ConcreteResult, other: ConcreteResult) -> bool:
        whole = all(other.values[name] % size == 0 for name, size in tiles.items())
        same = ((first, second) for first, second in pairs if one.values[first] == one.values[second])
        return (
            one.key == other.key
            and whole
            and all(other.values[first] == other.values[second] for first, second in same)
        )

    def size(one: ConcreteResult) -> Simplicity:
        return simplicity(one.values, program.dimensions)

    found: dict[tuple[str, str, int], ConcreteResult] = {}
    for one in sorted(failing, key=lambda one: (-one.reached, size(one))):
        found.setdefault(one.key, one)
    return [min((one, *(other for other in failing if is_like(one, other))), key=size) for one in found.values()]


def already_proved(exploration: Exploration, runs: tuple[Run, ...], seconds: float) -> Derived:
    """The answer about a kernel that is proved on all shapes that its own asserts let pass."""
    program, assumed = exploration.run.program, exploration.assumptions
    own = list(guards(program, assumed))
    needed = without_implied(own, [])
    stated = [Precondition(readable(one, program), asserted=True) for one in needed]
    stated += unsaid(program, assumed, own)
    proved = any(run.verdict is Verdict.SUCCESSFUL for run in runs)
    return Derived(tuple(stated), (), runs, proved, seconds, enforced=enforced(exploration, needed))


def unsaid(program: Program, texts: Iterable[str], said: Sequence[Condition | bool]) -> list[Precondition]:
    """Asserts among the kernel's own preconditions that are more than the conditions `said`, as the kernel has them."""
    wanted = {text for text in texts if " (line " in text}
    if not wanted or not any(_Rejects(wanted, Prover(said, BUDGETS.statement)).block(program.body)):
        return []
    plain = {
        item.text
        for item in program.assumptions
        if all(readable(part, program) for part in _conditions(item.condition))
    }
    # Of `a and b` the first part may be assumed, and the second one a branch that ends where it does not hold.
    partly = {
        f" (line {item.site.line})"
        for item in of_kind(program.body, Branch)
        if item.site is not None and (item.then.idle or item.orelse.idle)
    }
    plain = {text for text in plain if f" (line {text.rpartition(' (line ')[2]}" not in partly}
    stated = sorted(wanted - plain, key=lambda text: int(text.rpartition(" (line ")[2].rstrip(")")))
    return [Precondition(text.rpartition(" (line ")[0], asserted=True, verbatim=True) for text in stated]


class _Rejects(Visitor[bool]):
    """For each path: true if an assert of `wanted` may reject shapes there that are not `known` to be kept out."""

    def __init__(self, wanted: Collection[str], known: Prover) -> None:
        self._wanted = wanted
        self._known = known
        self._left = DerivingBudget.PATHS

    def assume(self, item: Assume) -> Iterable[bool]:
        condition = item.condition
        if condition is True:
            return
        if item.text in self._wanted and condition is False:
            yield self._known.satisfiable() is not Answer.NO
        elif item.text in self._wanted:
            yield not self._known.entails(condition)
        self._known = self._known.with_conditions([condition])

    def loop(self, item: Loop) -> Iterable[bool]:
        return ()

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[bool]:
        around, self._known = self._known, self._known.with_conditions([condition])
        yield from self.block(block)
        self._known = around

    def end(self, block: Block) -> Iterable[bool]:
        # A path on which nothing is executed may be one that an assert rejects, as may be paths past the last one.
        self._left -= 1
        yield self._left < 0 or (block.idle and self._known.satisfiable() is not Answer.NO)


def enforced(exploration: Exploration, stated: Iterable[Condition]) -> bool:
    """True if the kernel provably accepts no shape for which one of the conditions `stated` does not hold.

    Where it cannot be known, it is not so: the symbolic run has to have seen every way through the kernel.
    """
    program, left = exploration.run.program, iter(range(DerivingBudget.PATHS))
    if exploration.run.unsupported_construct is not None:
        return False
    ranges = [one.at_least(one.low) for one in program.dimensions if not one.choices]
    known = (Prover([one.negation(), *ranges], BUDGETS.statement) for one in stated)
    return not any(any(_Accepts(one, left).block(program.body)) for one in known)


class _Accepts(Visitor[bool]):
    """For each path: true if the kernel may come to its end for a shape of which this much is `known`. What an assert
    rejects ends in an assumption that is false, what a `raise` does in a claim that there is none."""

    def __init__(self, known: Prover, left: Iterator[int]) -> None:
        #: None behind what no such shape passes.
        self._known: Prover | None = known
        self._left = left

    def assume(self, item: Assume) -> Iterable[bool]:
        condition = item.condition
        if self._known is not None and condition is not True:
            rejected = not isinstance(condition, Condition) or self._known.entails(condition.negation())
            self._known = None if rejected else self._known.with_conditions([condition])
        return ()

    def claim(self, item: Claim) -> Iterable[bool]:
        if item.condition is False and item.of_exception:
            self._known = None
        return ()

    def loop(self, item: Loop) -> Iterable[bool]:
        return ()

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[bool]:
        around = self._known
        if around is not None and not around.entails(condition.negation()):
            self._known = around.with_conditions([condition])
            yield from self.block(block)
            self._known = around

    def end(self, block: Block) -> Iterable[bool]:
        if self._known is not None and block.items:
            yield next(self._left, None) is None or self._known.satisfiable() is not Answer.NO


def _conditions(condition: Condition | bool) -> Sequence[Condition]:
    """A condition, each part by itself."""
    if not isinstance(condition, Condition):
        return ()
    return condition.parts if isinstance(condition, Junction) and condition.conjunction else (condition,)


def guards(program: Program, texts: Iterable[str]) -> Iterable[Condition]:
    """The kernel's own preconditions on the dimensions, each part by itself."""
    given = {
        item.condition.uid
        for item in program.assumptions
        if item.text == "domain" and isinstance(item.condition, Condition)
    }
    for condition in domain_of(program, texts):
        for part in _conditions(condition):
            if part.uid not in given and readable(part, program):
                yield part


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
