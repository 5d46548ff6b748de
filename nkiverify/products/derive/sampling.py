"""The shapes that are run: one that passes, and its neighbours at the sizes that the program compares and divides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, combinations, islice
from math import lcm

from nkiverify.foundation.budget import DerivingBudget, RunningBudget, SearchingBudget
from nkiverify.foundation.clock import Allowance, now
from nkiverify.frontend.target import Target
from nkiverify.ir.program import DomainDimension, Program
from nkiverify.model.hardware import Hardware
from nkiverify.products.derive.cover import holds
from nkiverify.products.derive.domain_candidates import (
    DimensionConstants,
    about_products,
    all_of_it,
    has_minimum,
    within,
)
from nkiverify.products.derive.runs import ConcreteResult, ShapeOutcome, shown
from nkiverify.symbolic.atoms import Atom, Dimension
from nkiverify.symbolic.conditions import Comparison, Condition, Relation
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer

#: A bound of all dimensions within which shapes are looked for first.
_SMALL = 512
#: Bounds within which a size is searched for that the kernel takes.
_REACH = (SearchingBudget.NEAR, 8 * SearchingBudget.NEAR)
#: Sizes of a dimension of which the program says nothing.
_USUAL = (1, 2, 3, 128, 129, 512, 513)
_EQUAL = (128, 1, 2, 8, 16, 32, 64, 256, 512, 1024)


class SampledShapes:
    """Runs shapes of a domain, each once, and remembers what they show.

    Shapes that are searched for besides others are left out for which the same conditions of those hold that they are
    `told_by` as for some that were run, and ended the same: no domain is made of these conditions that tells them
    apart."""

    def __init__(
        self,
        target: Target,
        program: Program,
        guards: Sequence[Condition | bool],
        hardware: Hardware,
        seconds: float,
        told_by: Sequence[Condition],
    ) -> None:
        self._target = target
        self._program = program
        self._guards = [one for one in guards if one is not True]
        self._hardware = hardware
        self._deadline = now() + seconds
        self._left = DerivingBudget.STEPS_OF_ALL_SHAPES
        self._settling = Allowance(DerivingBudget.SETTLING_MS)
        #: How runs ended, by which of the conditions hold that tell shapes apart.
        self._told_by = told_by
        self._ended: dict[tuple[bool, ...], list[ConcreteResult]] = {}
        #: Shapes that were left out, each with one like it that was run.
        self._left_out: dict[tuple[int, ...], tuple[dict[str, int], ConcreteResult]] = {}
        self.dimensions = [one for one in program.dimensions if not one.choices]
        self.runs: dict[tuple[int, ...], ConcreteResult] = {}

    @property
    def late(self) -> bool:
        """True if no steps are left, or the time of the target is over."""
        return self._left <= 0 or now() > self._deadline

    def of(self, kind: ShapeOutcome) -> list[ConcreteResult]:
        """The runs that ended so."""
        return [one for one in self.runs.values() if one.kind is kind]

    @property
    def ran(self) -> tuple[tuple[dict[str, int], str], ...]:
        """The shapes that were run, with what they showed, those that came furthest first."""
        ordered = sorted(self.runs.values(), key=lambda one: -one.reached)
        return tuple((one.values, one.kind.value) for one in ordered)

    @property
    def whole(self) -> frozenset[str]:
        """The inputs that are read wholly at some size."""
        return frozenset(name for one in self.of(ShapeOutcome.PASSES) for name in one.whole)

    def split(self) -> tuple[list[ConcreteResult], list[ConcreteResult]]:
        """Shapes that a domain may have, and those that it may not: those that fail, are rejected, or of whose inputs a
        part is left out that is read at other sizes, unless every shape that passes leaves some out."""
        whole = self.whole
        passing = [one for one in self.of(ShapeOutcome.PASSES) if not one.dropped(whole)]
        dropping = [one for one in self.of(ShapeOutcome.PASSES) if one.dropped(whole)]
        if not passing:
            passing, dropping = dropping, []
        return passing, [*self.of(ShapeOutcome.FAILS), *self.of(ShapeOutcome.REJECTED), *dropping]

    def left_out(self) -> list[dict[str, int]]:
        """Shapes that were left out, and likely to pass: one like them does."""
        passing, _ = self.split()
        keys = {tuple(one.values.values()) for one in passing}
        found = [(values, like) for key, (values, like) in self._left_out.items() if key not in self.runs]
        return [values for values, like in found if tuple(like.values.values()) in keys]

    def run(self, wanted: dict[str, int], fixed: Iterable[str] = (), *, needed: bool = False) -> ConcreteResult | None:
        """Run the shape that is most like `wanted` among those of the domain, `fixed` dimensions above all.

        None where there is none, or no steps are left and the run is not `needed`.
        """
        if self.late and not needed:
            return None
        values = self._settled(wanted, tuple(fixed), needed)
        if values is None:
            return None
        known = self.runs.get(tuple(values.values()))
        return known or self._show(
            values, DerivingBudget.WORK_OF_A_SHAPE, max(self._left, DerivingBudget.STEPS_OF_A_RUN if needed else 0)
        )

    def _show(self, values: dict[str, int], work: int, steps: int) -> ConcreteResult:
        """Run a shape with so much work, in this many steps."""
        left = max(DerivingBudget.LEAST_SECONDS_OF_SAMPLES, self._deadline - now())
        found = shown(self._target, values, self._hardware, left, work, steps)
        self._left -= found.steps
        self.runs[tuple(values.values())] = found
        if found.kind is not ShapeOutcome.UNTOLD:
            self._told(values).append(found)
        return found

    def first(
        self,
        numbers: dict[str, DimensionConstants],
        assumed: Sequence[Condition | bool],
        pairs: Sequence[tuple[str, str]],
        whole: Sequence[Condition] = (),
    ) -> ConcreteResult | None:
        """A shape that passes. `assumed` are conditions under which claims that are refuted hold, `pairs` dimensions
        that belong together, `whole` conditions under which quotients leave no rest."""
        worth: list[ConcreteResult] = []
        for number, wanted in enumerate(
            islice(self._starts(numbers, assumed, pairs, whole), DerivingBudget.SHAPES_FOR_A_FIRST)
        ):
            found = self._beside(wanted, (), DerivingBudget.SIMILAR_SHAPES)
            if found is not None and found.kind is ShapeOutcome.PASSES:
                return self._with_all_read(found, assumed)
            if number == DerivingBudget.LIKELY_SHAPES - 1:
                worth = self.of(ShapeOutcome.UNTOLD)
        # Where the least sizes that the kernel takes are large ones, the first two of them are worth the time.
        for untold in [one for one in worth if not self._told(one.values)][:2]:
            found = self._show(untold.values, RunningBudget.WORK_OF_A_SHAPE, DerivingBudget.STEPS_OF_LARGE_RUNS)
            if found.kind is ShapeOutcome.PASSES:
                return found
        return None

    def around(
        self,
        base: dict[str, int],
        numbers: dict[str, DimensionConstants],
        pairs: Sequence[tuple[str, str]],
        assumed: Sequence[Condition | bool],
        enough: float = 1,
    ) -> None:
        """Run the neighbours of a shape: one dimension, two that belong together, or all of them, at other sizes. Those
        are left out of which `enough` others are like them."""
        self._settling = Allowance(DerivingBudget.SETTLING_MS)
        names = [one.atom.name for one in self.dimensions]
        sizes = {name: _sizes(base[name], numbers[name]) for name in names}
        together = [pair for pair in pairs if set(pair) <= set(names)]
        groups = [group for group in _connected(together) if len(group) > 2]
        doubled = {name: 2 * value for name, value in base.items()}
        whole = [each for one in assumed if isinstance(one, Condition) for each in all_of_it(one)]
        if any(map(about_products, whole)):
            # Hardly any neighbour keeps them.
            self._beside(self._followed(base, (), whole), (), enough)
            self._moved(base, [*assumed, *whole], enough)
        self._beside(doubled, names, enough)
        for many in (slice(0, 2), slice(2, 4), slice(4, None)):
            for name in names:
                for value in sizes[name][many]:
                    self._beside({**base, name: value}, [name], enough)
            for one, other in together:
                if many.start == 0:
                    self._beside({**base, one: 2 * base[one], other: 2 * base[other]}, (one, other), enough)
                if base[one] == base[other]:
                    for value in sizes[one][many]:
                        self._beside({**base, one: value, other: value}, (one, other), enough)
            for group in groups:
                if many.start == 0:
                    for factor in (2, 3):
                        self._beside({**base, **{name: factor * base[name] for name in group}}, group, enough)
                for name in group:
                    # Those that are the same stay so.
                    for value in sizes[name][many]:
                        same = [one for one in group if base[one] == base[name]]
                        self._beside({**base, **dict.fromkeys(same, value)}, same, enough)
        for name in names:
            for value in sizes[name][:1]:
                self._beside({**doubled, name: value}, [name], enough)
        self._beside({name: 3 * value for name, value in base.items()}, names, enough)
        self._moved(base, [*assumed, *whole], enough)
        self._moved(base, assumed, enough)

    def _moved(self, base: dict[str, int], assumed: Sequence[Condition | bool], enough: float) -> None:
        """Run shapes at which dimensions are larger of which no size but that of `base` passes: what has to move with
        them is more than two dimensions, or moves in another way."""
        for dimension in self.dimensions:
            at = dimension.atom.name
            if all(each.values[at] == base[at] for each in self.of(ShapeOutcome.PASSES)):
                for wanted in islice(self._solved(base, [*assumed, dimension.at_least(base[at] + 1)]), 1):
                    self._beside(wanted, (), enough)

    def solved(
        self, base: dict[str, int], assumed: Sequence[Condition | bool], more: Condition | bool
    ) -> ConcreteResult | None:
        """Run a shape for which a condition holds, and for which what is `assumed` comes to all of what it may; None
        where none is found. What solvers are slow with is left to the run: minima."""
        plain = [one for one in assumed if isinstance(one, Condition) and not has_minimum(one)]
        whole = [each for one in plain for each in all_of_it(one)]
        wanted = next(self._solved(base, [*plain, *whole, more], (_SMALL,), BUDGETS.first), None)
        return None if wanted is None else self.run(wanted)

    def _with_all_read(self, found: ConcreteResult, assumed: Sequence[Condition | bool]) -> ConcreteResult:
        """A shape that passes of whose inputs less is left out than at the one `found`, if there is one."""
        shown = self.solved(found.values, assumed, True) if found.unread else None
        passes = shown is not None and shown.kind is ShapeOutcome.PASSES
        return shown if shown is not None and passes and len(shown.unread) < len(found.unread) else found

    def _beside(self, wanted: dict[str, int], fixed: Iterable[str], enough: float) -> ConcreteResult | None:
        """Run the shape that is most like `wanted`, unless shapes like it were run that are `enough`."""
        values = None if self.late else self._settled(wanted, tuple(fixed))
        if values is None or tuple(values.values()) in self.runs:
            return None
        reported = self._told(values)
        if len(reported) >= enough and len({one.kind for one in reported}) == 1:
            self._left_out[tuple(values.values())] = values, reported[0]
            return None
        return self._show(values, DerivingBudget.WORK_OF_A_SHAPE, self._left)

    def _told(self, values: dict[str, int]) -> list[ConcreteResult]:
        """The runs that show something, of shapes for which the same conditions hold; to be added to."""
        return self._ended.setdefault(tuple(holds(one, values, self._program) for one in self._told_by), [])

    def _starts(
        self,
        numbers: dict[str, DimensionConstants],
        assumed: Sequence[Condition | bool],
        pairs: Sequence[tuple[str, str]],
        whole: Sequence[Condition],
    ) -> Iterator[dict[str, int]]:
        names = [one.atom.name for one in self.dimensions]
        own = {name: min(lcm(*(numbers[name].divisors or {1})), SearchingBudget.NEAR) for name in names}
        equal = dict(own)
        for pair in pairs:
            for name in equal.keys() & pair:
                if not numbers[name].divisors:
                    equal[name] = max(own[other] for other in pair if other in own)
        most = max([*own.values(), 1])
        top = {name: max([*numbers[name].all, 1]) for name in names}
        yield equal
        yield from islice(self._solved(own, assumed), 2)
        if whole:
            yield from self._solved(own, [*assumed, *whole])
        yield own
        # What the kernel's asserts make of these sizes, and others of the same size where one is a multiple.
        settled = self._settled(own, ()) or own
        paired = dict(settled)
        for pair in pairs:
            for name in paired.keys() & pair:
                most_of_pair = max(settled[other] for other in pair if other in settled)
                paired[name] = most_of_pair if most_of_pair % settled[name] == 0 else settled[name]
        yield paired
        yield top
        yield dict.fromkeys(names, most)
        for value in _EQUAL[:4]:
            yield {name: own[name] if own[name] > 1 else value for name in names}
        for value in _EQUAL:
            yield dict.fromkeys(names, value)
        for one, other in combinations(names, 2):
            yield {**own, one: most, other: most}

    def _solved(
        self,
        wanted: dict[str, int],
        assumed: Sequence[Condition | bool],
        bounds: Sequence[int] = (_SMALL, SearchingBudget.NEAR),
        milliseconds: int = BUDGETS.domain,
    ) -> Iterator[dict[str, int]]:
        """Shapes for which `assumed` holds, as small as a bound or two make them."""
        for bound in bounds:
            small = [condition for one in self.dimensions for condition in within(one, min(bound, one.high or bound))]
            prover = Prover([*self._guards, *assumed, *small], milliseconds)
            if prover.satisfiable() is Answer.YES:
                yield {one.atom.name: prover.model.get(one.atom, wanted[one.atom.name]) for one in self.dimensions}

    def _settled(self, wanted: dict[str, int], fixed: Sequence[str], needed: bool = False) -> dict[str, int] | None:
        """The values of the domain that are most like `wanted`; None where there are none, or a solver has been asked
        for too many that are not `needed`."""
        values = {one.atom.name: _legal(one, wanted.get(one.atom.name, 1)) for one in self._program.dimensions}
        if any(values[name] != wanted[name] for name in fixed):
            return None
        broken = [one for one in self._guards if not holds(one, values, self._program)]
        if not broken:
            return values
        if any(_names_in(one) <= set(fixed) for one in broken):
            return None
        followed = self._followed(values, fixed, self._guards)
        if all(holds(one, followed, self._program) for one in self._guards):
            return followed
        if self._settling.used_up and not needed:
            return None
        prover = Prover(self._guards, BUDGETS.first)
        order = [one for name in fixed for one in self.dimensions if one.atom.name == name]
        order += [one for one in self.dimensions if one not in order]
        for one in order:
            name = one.atom.name
            narrower = prover.with_conditions([one.equals(values[name])])
            if narrower.satisfiable() is Answer.YES:
                prover = narrower
            elif name in fixed:
                return None
            else:
                closer = self._closest(prover, one, values, fixed)
                if closer is None:
                    return None
                prover, values[name] = closer
        return values if all(holds(one, values, self._program) for one in self._guards) else None

    def _followed(
        self, values: dict[str, int], fixed: Sequence[str], equations: Iterable[Condition | bool]
    ) -> dict[str, int]:
        """`values` with a dimension that one of the `equations` gives at what it gives for the others: F, or else a, of
        `F == a*b`; but for those that are `fixed`."""
        found = dict(values)
        for guard in equations:
            if not isinstance(guard, Comparison) or guard.relation is not Relation.EQUAL:
                continue
            keys = sorted(guard.term.monomials, key=len)
            given = [
                atom
                for key in keys
                for atom in key
                if isinstance(atom, Dimension) and atom.name not in fixed and sum(one.count(atom) for one in keys) == 1
            ]
            with suppress(Undefined):
                for atom in given:
                    known: dict[Atom, int] = {one.atom: found[one.atom.name] for one in self._program.dimensions}
                    rest = Valuation({**known, atom: 0}).term(guard.term)
                    factor = Valuation({**known, atom: 1}).term(guard.term) - rest
                    if factor and rest % factor == 0 and 1 <= -rest // factor <= SearchingBudget.NEAR:
                        found[atom.name] = -rest // factor
                        break
        return found

    @staticmethod
    def _closest(
        prover: Prover, dimension: DomainDimension, values: dict[str, int], fixed: Sequence[str]
    ) -> tuple[Prover, int] | None:
        """A value of a dimension that goes with those settled before: one of theirs, or any."""
        preferred = chain((values[name] for name in fixed), values.values())
        for value in dict.fromkeys(preferred):
            narrower = prover.with_conditions([dimension.equals(value)])
            if narrower.satisfiable() is Answer.YES:
                return narrower, value
        for most in _REACH:
            if prover.satisfiable(*within(dimension, most)) is Answer.YES:
                value = prover.model.get(dimension.atom, 1)
                return prover.with_conditions([dimension.equals(value)]), value
        return None


def _names_in(condition: Condition | bool) -> set[str]:
    """The names of the dimensions in a condition."""
    atoms = condition.atoms() if isinstance(condition, Condition) else ()
    return {one.name for one in atoms if isinstance(one, Dimension)}


def _connected(pairs: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Names that pairs connect."""
    groups: list[set[str]] = []
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in touched] + [set(pair).union(*touched)]
    return [tuple(sorted(group)) for group in groups]


def _sizes(base: int, known: DimensionConstants) -> list[int]:
    """Sizes to try for a dimension, those first that tell most."""
    sizes: list[int] = []
    for each in known.all[:2]:
        sizes += [each + 1, 2 * each]
    sizes += [base + 1, 2 * base]
    for each in known.all:
        sizes += [each - 1, each, each + 1, each + each // 2, 3 * each]
    if not known.all:
        sizes += _USUAL
    return [one for one in dict.fromkeys(sizes) if one >= 1 and one != base]


def _legal(dimension: DomainDimension, value: int) -> int:
    """The value of a dimension that is nearest to `value`."""
    if dimension.choices:
        return 0
    step = dimension.multiple_of
    value = max(dimension.smallest, -(-value // step) * step)
    return value if dimension.high is None or value <= dimension.high else dimension.high // step * step
