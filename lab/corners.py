"""`python -m lab.corners --count N --seed S`: what `check` says of domains against concrete runs at their corners.

Subjects are the kernels of the manifest, those of first contact (as they are and with their bugs), and random ones. Of
each the domain is derived as `check` does it. Then shapes are run in plain Python: the least one, each dimension at its
greatest, each bound tight, one beyond each bound while the others hold, and some at random. Inside no shape may fail in
a phase that is proved, nor be rejected but by an assert that is printed as it stands. Beyond a limit a limit of the
hardware has to break; beyond a condition that is said to be needed something has to; what "the kernel checks itself"
the kernel has to reject. A shape that takes too long, or does not fit in 32 bits, shows nothing, and is counted.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import z3

from lab.buffers import moving_subject
from lab.first_contact import cases
from lab.limits import limited_kernel
from lab.subject import Bench, OutOfTime, Subject, time_limit
from nkiverify.foundation import resources
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.foundation.records import Verdict
from nkiverify.frontend.domain.expressions import condition as meaning
from nkiverify.frontend.domain.syntax import parse
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.stated import phase_of
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Assume, DomainDimension
from nkiverify.model.hardware import Hardware, hardware_named
from nkiverify.phases import MEMORY
from nkiverify.phases.witness_replay import replay
from nkiverify.products.derive.domain_answers import DomainAnswer
from nkiverify.products.derive.legality import answer
from nkiverify.products.derive.runs import ConcreteResult, ShapeOutcome, shown
from nkiverify.products.derive.statements import Precondition
from nkiverify.project.discovery import kernels_in
from nkiverify.project.request import request
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation, at_most_zero
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.smt import Script
from nkiverify.symbolic.terms import INT32_MAX
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import DEFAULT_HARDWARE, Options

#: Seconds for what is said of one kernel, for one shape, and for one kernel in all.
_DERIVE_SECONDS, _SHAPE_SECONDS, _KERNEL_SECONDS = 20.0, 1.0, 60.0
#: Z3's own steps for finding one corner, about a second of an idle core, and milliseconds that end it in any case.
_CORNER_STEPS, _CORNER_MS = 3_000_000, 20_000
#: Up to which all dimensions are, for the greatest shapes: the next one is taken while shapes can still be run.
_CAPS = (640, 9_000, 120_000, INT32_MAX)
#: Up to which dimensions are at the end of another one: two tiles of rows.
_FEW_TILES = 256
#: Shapes that are drawn, and sizes that they are drawn from.
_DRAWN = 20
_SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 129, 160, 256)

#: Asserts of kernels, most of which are no conditions of `--where`.
ASSERTS = (
    "assert R <= 128",
    "assert C % 2 == 0",
    "assert R in (1, 2, 3, 32, 64, 128)",
    "assert C % 3 == 0 or C <= 4",
    "assert any(C == k * k for k in range(1, 12))",
    "assert allowed(C), 'not allowed'",
    "assert not (C == 6 or R == 4)",
    "assert R <= C or C % 2",
    "assert (C - 1) % 3 != 0 or R > 3",
    "assert min(R, C) != 2",
    "assert math.isqrt(C) ** 2 == C",
    "assert len([d for d in (2, 3, 5) if C % d == 0]) <= 1",
    "if C % 5 == 3:\n        raise ValueError('no')",
)
_HELPER = """
import math


def allowed(n):
    return n % 3 != 1 or n == 7


"""


@dataclass(slots=True)
class Tally:
    """The tally of a campaign."""

    kernels: int = 0
    shapes: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    defects: list[str] = field(default_factory=list)


def subject_of(number: int, seed: int) -> str:
    """The text of kernel `number` of the campaign of `seed`: every other one is about limits."""
    source = random.Random(f"{seed}/{number}")
    kernel = moving_subject(source).kernel if number % 2 else limited_kernel(source)
    head, shapes, body = kernel.partition("    R, C = x.shape\n")
    asserts = source.sample(ASSERTS, source.choice((0, 1, 1, 2) if number % 2 else (0, 0, 0, 1)))
    lines = "".join(f"    {one}\n" for one in asserts)
    before, mark, rest = head.rpartition("@nki.jit") if "@nki.jit" in head else head.rpartition("def kernel")
    return f"{before}{_HELPER}{mark}{rest}{shapes}{lines}{body}"


# --- the corners of a domain -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stated:
    """A condition of the domain with its meaning, and whether it is one of the limits that are printed apart."""

    said: Precondition
    condition: Condition


class Domain:
    """The domain that an answer states, as conditions on the dimensions of its program."""

    def __init__(
        self, said: DomainAnswer, dimensions: Sequence[DomainDimension], given: Iterable[Condition | bool]
    ) -> None:
        assert said.derived is not None
        self.dimensions = dimensions
        self.derived = said.derived
        #: Corners that the solver did not come to an end with.
        self.missed = 0
        self._atoms = {one.atom.name: terms.of_atom(one.atom) for one in dimensions}
        self._ranges: list[Condition | bool] = [*given]
        for one in dimensions:
            self._ranges += [one.at_least(one.low), one.at_most(one.greatest), one.is_multiple(one.multiple_of)]
        self.stated: list[Stated] = []
        for said_one in (*said.derived.preconditions, *said.derived.limits):
            condition = None if said_one.verbatim else self._condition(said_one.text)
            if condition is not None:
                self.stated.append(Stated(said_one, condition))
        #: Asserts that are printed as they stand, of which nothing is known here.
        self.verbatim = any(one.verbatim for one in said.derived.preconditions)
        #: "the kernel's own asserts enforce this" is printed.
        preconditions = said.derived.preconditions
        asserted = bool(preconditions) and all(one.asserted for one in preconditions)
        self.checked = asserted and said.derived.passing is None and said.derived.enforced

    def _condition(self, text: str) -> Condition | None:
        _, node = parse("--where", text)
        found = meaning(node, self._atoms)
        return found if isinstance(found, Condition) else None

    def holds(self, condition: Condition, values: Mapping[str, int]) -> bool:
        """True if a condition holds for these values; False where it divides by zero there."""
        try:
            return Valuation({one.atom: values[one.atom.name] for one in self.dimensions}).holds(condition)
        except Undefined:
            return False

    def inside(self, cap: int) -> Iterator[tuple[str, dict[str, int]]]:
        """Shapes at the ends of the domain, none beyond `cap`: the others at their least, and at a few tiles."""
        every = [one.condition for one in self.stated]
        yield from self._found("the least", every, cap)
        for one in self.dimensions:
            yield from self._ends(f"the greatest {one.atom.name}", every, cap, self._less(one))
        for stated in self.stated:
            for term in _tight(stated.condition):
                yield from self._ends(f"{stated.said.text}, tight", every, cap, terms.scale(term, -1))

    def beyond(self, stated: Stated, cap: int) -> Iterator[dict[str, int]]:
        """Shapes for which one condition does not hold and all the others do, no dimension beyond `cap`: the least, and
        of each bound in it one beyond, with the other dimensions at their least, and at a few tiles."""
        out = [stated.condition.negation(), *(one.condition for one in self.stated if one is not stated)]
        larger = [one.at_least(2 * one.multiple_of + one.low) for one in self.dimensions if not one.choices]
        found = [self._found("", out, cap), self._found("", [*out, *larger], cap)]
        for term in _tight(stated.condition):
            past = at_most_zero(terms.add(terms.constant(1), term, -1))
            found.append(self._ends("", [*out, past], cap, term))
        seen = set()
        for _, values in itertools.chain(*found):
            if tuple(values.values()) not in seen:
                seen.add(tuple(values.values()))
                yield values

    def _ends(
        self, what: str, conditions: Sequence[Condition | bool], cap: int, term: Term
    ) -> Iterator[tuple[str, dict[str, int]]]:
        """Shapes at which a term is least, the dimensions that are not in it at their least, and at a few tiles."""
        least = list(self._found(what, conditions, cap, term))
        yield from least
        inside = terms.all_atoms(term)
        others = [one for one in self.dimensions if one.atom not in inside and not one.choices]
        for _, values in least if others else ():
            # One that has to be equal to a dimension of the term is as large as that.
            few = [one.at_most(max(_FEW_TILES, values[one.atom.name])) for one in others]
            greatest = [self._less(one) for one in others]
            yield from self._found(what, [*conditions, *few], cap, term, *greatest)

    @staticmethod
    def _less(one: DomainDimension) -> Term:
        return terms.scale(terms.of_atom(one.atom), -1)

    def _found(
        self, what: str, conditions: Sequence[Condition | bool], cap: int, *first: Term
    ) -> Iterator[tuple[str, dict[str, int]]]:
        """The shape with the least value of the terms that come `first`, and then of all dimensions together, if the
        solver finds it."""
        capped = [one.at_most(max(cap, one.low)) for one in self.dimensions if not one.choices]
        objectives = [*first, self._sum()]
        script = Script()
        # The objectives are terms of their own; stated so that their atoms are declared.
        known = [at_most_zero(terms.add(term, terms.constant(-(1 << 70)))) for term in objectives]
        text = script.assertions([*self._ranges, *conditions, *capped, *known])
        optimizer = z3.Optimize()
        optimizer.set("rlimit", _CORNER_STEPS)
        optimizer.set("timeout", _CORNER_MS)
        optimizer.set("priority", "lex")
        optimizer.from_string(text)
        names = {atom: z3.Int(name) for name, atom in script.atoms().items()}
        for term in objectives:
            optimizer.minimize(
                z3.Sum(
                    [factor * z3.Product([names[one] for one in key]) for key, factor in term.monomials.items() if key]
                )
            )
        answered = optimizer.check()
        if answered != z3.sat:
            self.missed += answered == z3.unknown
            return
        model = optimizer.model()
        values = {}
        for one in self.dimensions:
            constant = names.get(one.atom)
            value = model.eval(constant, model_completion=True).as_long() if constant is not None else one.low
            values[one.atom.name] = value
        yield what, values

    def _sum(self) -> Term:
        total = terms.constant(0)
        for one in self.dimensions:
            total = terms.add(total, terms.of_atom(one.atom))
        return total


def _tight(condition: Condition | bool) -> Iterator[Term]:
    """The terms of the bounds in a condition: each is at most zero where the bound holds."""
    if isinstance(condition, Junction):
        for part in condition.parts:
            yield from _tight(part)
    elif isinstance(condition, Comparison):
        if condition.relation is Relation.AT_MOST:
            yield condition.term
        else:
            yield from (condition.term, terms.scale(condition.term, -1))


# --- the concrete runs ------------------------------------------------------------------------------------------------


class Corners:
    """Compares what is said of one kernel with its concrete runs."""

    def __init__(self, reference: str, root: Path, said: DomainAnswer, tally: Tally) -> None:
        assert said.derived is not None
        self._said, self._derived, self._tally = said, said.derived, tally
        self._hardware: Hardware = hardware_named(said.hardware or DEFAULT_HARDWARE)
        asked = request(reference, root, said.arguments, (), said.grid or None)
        self._target: Target = asked.target(said.hardware or DEFAULT_HARDWARE, False)
        program = explore(
            self._target, self._hardware, Limits(seconds=_DERIVE_SECONDS), frozenset({1, 2, 3, 4})
        ).run.program
        given = [one.condition for one in program.body.items if isinstance(one, Assume) and one.text == "domain"]
        self._domain = Domain(said, program.dimensions, given)
        self._runs: dict[tuple[int, ...], ConcreteResult] = {}
        runs = said.derived.runs or said.runs
        self._proved = {run.phase for run in runs if run.verdict is Verdict.SUCCESSFUL}

    def differences(self) -> Iterator[str]:
        """Contradictions between what is said and concrete runs."""
        derived = self._derived
        bounded = any(run.is_bounded for run in derived.runs or self._said.runs)
        if derived.proved and bounded and not any(one.bound for one in derived.preconditions):
            yield "proved within a bound that the domain does not have"
        if self._proved:
            yield from self._at_ends()
            for stated in self._domain.stated:
                yield from self._past(stated)
            yield from self._drawn()

    def _at_ends(self) -> Iterator[str]:
        """Contradictions at corners of the domain, as long as shapes that are larger can still be run."""
        before = 0
        for cap in _CAPS:
            larger = [(what, values) for what, values in self._domain.inside(cap) if max(values.values()) > before]
            runs = [(what, self._run(values)) for what, values in larger]
            for what, run in runs:
                yield from self._inside(what, run)
            if before and all(run.kind is ShapeOutcome.UNTOLD for _, run in runs):
                return
            before = cap

    def _past(self, stated: Stated) -> Iterator[str]:
        """Contradictions beyond a single condition."""
        missed = self._domain.missed
        runs = [self._run(values) for values in self._beyond(stated)]
        told = [run for run in runs if run.kind not in (ShapeOutcome.UNTOLD, ShapeOutcome.OUTSIDE)]
        all_told = len(told) == len(runs) and missed == self._domain.missed
        # Tensors with fewer rows may be larger: of shapes beyond a limit some one has to break it.
        passes = all_told and {run.kind for run in told} == {ShapeOutcome.PASSES}
        if stated.said.limit and passes and self._derived.passing is None:
            yield f"beyond the limit {stated.said.text}: {told[-1].values} passes"
        for run in told:
            yield from self._outside(stated, run)

    def _beyond(self, stated: Stated) -> Iterator[dict[str, int]]:
        for cap in _CAPS[1:]:
            found = list(self._domain.beyond(stated, cap))
            if found:
                yield from found
                return
        self._tally.shapes["no shape is found beyond a bound"] += 1

    def _drawn(self) -> Iterator[str]:
        """Shapes drawn at random: what all is said of them."""
        free = [one for one in self._domain.dimensions if not one.choices]
        if not free:
            return
        source = random.Random(0)
        for _ in range(_DRAWN):
            values = {one.atom.name: one.low for one in self._domain.dimensions}
            for one in free:
                drawn = source.choice(_SIZES) * one.multiple_of
                values[one.atom.name] = min(max(drawn, one.smallest), one.greatest)
            broken = [one for one in self._domain.stated if not self._domain.holds(one.condition, values)]
            run = self._run(values)
            if not broken:
                yield from self._inside("drawn", run)
            elif self._domain.checked and any(one.said.asserted for one in broken):
                yield from self._rejected(broken[0], run)

    def _inside(self, what: str, run: ConcreteResult) -> Iterator[str]:
        if run.kind is ShapeOutcome.FAILS and run.rule is not None and phase_of(run.rule) in self._proved:
            yield f"inside, {what}: {run.values} fails: {run.rule.id} (phase {phase_of(run.rule)})"
        elif run.kind is ShapeOutcome.REJECTED and not self._domain.verbatim and self._derived.proved:
            yield f"inside, {what}: {run.values} is rejected: {run.text}"

    def _outside(self, stated: Stated, run: ConcreteResult) -> Iterator[str]:
        """Contradictions of one shape beyond a single condition."""
        one, derived = stated.said, self._derived
        if one.bound or not derived.proved:
            return
        if one.limit:
            if run.kind is ShapeOutcome.FAILS and run.rule is not None and not run.rule.limit:
                yield f"beyond the limit {one.text}: {run.values} breaks {run.rule.id}, which is no limit"
        elif one.asserted:
            if self._domain.checked:
                yield from self._rejected(stated, run)
            elif run.kind is ShapeOutcome.FAILS:
                yield f"beyond {one.text}, which the kernel is said to check: {run.values} fails: {_rule(run)}"
        elif (
            run.kind is ShapeOutcome.PASSES
            and derived.passing is None
            and not run.unread
            # It is no shape that is meant.
            and not run.reads_nothing
        ):
            yield f"beyond {one.text}, which is said to be needed: {run.values} passes"

    def _rejected(self, stated: Stated, run: ConcreteResult) -> Iterator[str]:
        if run.kind in (ShapeOutcome.PASSES, ShapeOutcome.FAILS):
            what = f"{run.values} {run.kind.value}"
            yield f"beyond {stated.said.text}, which the kernel checks itself: {what} {_rule(run)}"

    def _run(self, values: dict[str, int]) -> ConcreteResult:
        """The concrete run of a shape in all phases; of one that is too large for phase 4, in the first three."""
        key = tuple(values.values())
        if key in self._runs:
            return self._runs[key]
        if max(key, default=0) > INT32_MAX:
            found = ConcreteResult(values, ShapeOutcome.UNTOLD, text="beyond 32 bits")
        else:
            found = shown(self._target, values, self._hardware, _SHAPE_SECONDS)
            if found.kind in (ShapeOutcome.UNTOLD, ShapeOutcome.PASSES):
                found = self._with_arithmetic(found)
        self._tally.shapes[found.kind.value] += 1
        self._runs[key] = found
        return found

    def _with_arithmetic(self, found: ConcreteResult) -> ConcreteResult:
        """The run of a shape of which phase 4 has no fault, or shows nothing, with phases 1 to 3, host integers too."""
        played = replay(
            self._target,
            found.values,
            self._hardware,
            checked=True,
            seconds=_SHAPE_SECONDS,
            phases=frozenset({MEMORY.number}),
            at_end=MEMORY.broken_at_end,
        )
        broken = [one for one in played.broken if not one.contract.id.startswith("target.")]
        if broken and not played.excluded:
            return ConcreteResult(found.values, ShapeOutcome.FAILS, broken[0].contract, broken[0].site)
        return found


def _rule(run: ConcreteResult) -> str:
    return run.rule.id if run.rule is not None else ""


def tried(reference: str, root: Path, tally: Tally, text: str = "") -> None:
    """Say for which shapes a kernel is legal, and run the corners. Raises `OutOfTime`."""
    options = Options(root=root, timeout=_DERIVE_SECONDS, engine="embedded")
    try:
        said = answer(reference, root, (), (), None, None, options)
    except UsageError as error:
        tally.answers[f"usage: {error}"] += 1
        return
    derived = said.derived
    if derived is None:
        tally.answers["no dimensions"] += 1
        return
    tally.answers["legal" if derived.proved else "not proved"] += 1
    printed = ", ".join(one.text for one in (*derived.preconditions, *derived.limits))
    try:
        found = list(itertools.islice(Corners(reference, root, said, tally).differences(), 3))
    except UnsupportedConstruct:
        return
    tally.defects += [f"{reference}: legal where {printed}; {one}\n{text}" for one in found]


# --- the subjects -----------------------------------------------------------------------------------------------------


def _texts(of: str, numbers: Sequence[int], seed: int) -> Iterator[tuple[str, str]]:
    """The texts of kernels, each with its name."""
    if of == "random":
        yield from ((f"random {number} of seed {seed}", subject_of(number, seed)) for number in numbers)
        return
    for case in cases():
        yield case.name, case.text
        yield f"{case.name} with its bug", case.wrong


def of_files(files: Iterable[Path], root: Path) -> Iterator[Tally]:
    """The kernels of these files in `root`, one after the other: what has been seen so far."""
    tally = Tally()
    for file in files:
        for one in kernels_in(file):
            _limited(partial(tried, f"{file.relative_to(root)}::{one.name}", root, tally), tally)
            yield tally


def campaign(of: str, numbers: Sequence[int], seed: int) -> Iterator[Tally]:
    """The kernels of one kind, one after the other: what has been seen so far."""
    tally, bench = Tally(), Bench()
    try:
        for name, text in _texts(of, numbers, seed):
            with bench.target(Subject(text, "def target(v): pass", ())) as place:
                for one in kernels_in(place.root / "kernel.py"):
                    said = f"# {name}\n{text}"
                    _limited(partial(tried, f"kernel.py::{one.name}", place.root, tally, said), tally)
            yield tally
    finally:
        bench.close()


def _limited(trial: partial[None], tally: Tally) -> None:
    tally.kernels += 1
    try:
        with time_limit(_KERNEL_SECONDS):
            trial()
    except OutOfTime:
        tally.answers["time limit of the campaign"] += 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run a campaign; 1 where there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m lab.corners", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="files whose kernels are the subjects, in place of these:")
    parser.add_argument("--of", choices=("random", "first-contact", "manifest"), default="random")
    parser.add_argument("--count", type=int, default=100, help="random kernels to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    options = parser.parse_args(argv)
    began, told, tally = time.monotonic(), 0, Tally()
    if options.files:
        seen = of_files([file.resolve() for file in options.files], Path("/"))
    elif options.of == "manifest":
        seen = of_files(sorted((resources.root() / "kernels").glob("*.py")), resources.root())
    else:
        seen = campaign(options.of, range(options.first, options.first + options.count), options.seed)
    for tally in seen:
        for defect in tally.defects[told:]:
            print(defect, flush=True)
        told = len(tally.defects)
    print(f"{tally.kernels} kernels, {sum(tally.shapes.values())} shapes, {time.monotonic() - began:.0f} s")
    for counter in (tally.answers, tally.shapes):
        for text, number in counter.most_common():
            print(f"  {number:6} {text}")
    print(f"{len(tally.defects)} defects")
    return 1 if tally.defects else 0


if __name__ == "__main__":
    sys.exit(main())
