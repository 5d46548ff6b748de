"""The gradients of a forward kernel that a backward kernel computes, right or wrong (docs/gradients.md).

For incoming gradients u and a direction v, u . (J v) = (J^T u) . v: the left side is computed by the forward kernel on
dual numbers, the right side is what the backward kernel leaves, times v. Both are compared over prime fields, exactly
on the piece that the drawn floats lie in, and in float64; what the backward kernel rounds is asked of float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial

import numpy as np

from nkiverify.analysis.values import number_formats
from nkiverify.analysis.values.asked_kernel import AskedKernel, contents
from nkiverify.analysis.values.compared_pieces import Pieces
from nkiverify.analysis.values.comparison_outcomes import Outcomes, one_way_text
from nkiverify.analysis.values.degrees import Cleared, Degrees
from nkiverify.analysis.values.duals import Duals
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.known_residues import Mode
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.numbers import Floats
from nkiverify.foundation.budget import ComparingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import Site
from nkiverify.foundation.threads import one_thread
from nkiverify.model.hardware import Hardware
from nkiverify.products.equiv.comparison import ComparisonFinding, EquivalenceAnswer, limit_text, run_legally
from nkiverify.products.equiv.error_probability import error_bits
from nkiverify.products.equiv.gradient_diagnosis import Diagnosis
from nkiverify.products.equiv.gradient_evaluation import Evaluation, apart
from nkiverify.products.equiv.gradient_pairing import Said
from nkiverify.products.equiv.gradient_runs import ComparedKernel, Draw, Gradient, GradientRuns, Pairing
from nkiverify.products.equiv.paired_runs import Illegal, if_they_end

#: The least -log2 of the probability of an error that is wanted, that is given, and runs for it at most.
_WANTED_BITS, _LEAST_BITS, _RUNS = 40, 20, 4


@dataclass(slots=True)
class GradientAnswer:
    """The answers about one gradient."""

    gradient: Gradient
    reals: ComparisonFinding
    floats: ComparisonFinding
    #: What is wrong with it, in sentences.
    diagnosis: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ForAll:
    """The gradients that are equal over the reals for all values of dimensions, `attached` others with one value; or
    why it is not argued, and where."""

    dimensions: tuple[str, ...]
    equal: tuple[str, ...] = ()
    why_not: str = ""
    site: Site | None = None
    attached: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class GradientAnswers:
    """All answers at one choice of shapes."""

    shapes: dict[str, str] = field(default_factory=dict)
    pairing: Pairing | None = None
    legal: ComparisonFinding | None = None
    defined: ComparisonFinding | None = None
    gradients: list[GradientAnswer] = field(default_factory=list)
    #: Of the chosen shapes: what follows for all others.
    for_all: list[ForAll] = field(default_factory=list)

    def not_argued(self, dimensions: tuple[str, ...]) -> tuple[str, ...]:
        """The ones among the `dimensions` for all whose values together not every gradient is argued to be equal."""
        gradients = {one.gradient.name for one in self.gradients}
        argued = [one.dimensions for one in self.for_all if not one.why_not and gradients <= set(one.equal)]
        left = [tuple(name for name in dimensions if name not in names) for names in argued]
        return min(left, key=len, default=dimensions)

    def findings(self) -> list[ComparisonFinding]:
        """The answers that were given."""
        found = [answer for answer in (self.legal, self.defined) if answer is not None]
        return found + [part for one in self.gradients for part in (one.reals, one.floats)]


class GradientChecker:
    """Asks about a backward kernel at one choice of shapes."""

    def __init__(
        self,
        forward: ComparedKernel,
        backward: ComparedKernel,
        hardware: Hardware,
        said: Said,
        seed: int,
        tolerance: float | None,
        legal_only: bool = False,
    ) -> None:
        """With `legal_only` nothing is asked about shapes that are not legal in both kernels."""
        self.runs = GradientRuns(forward, backward, hardware, said, legal_only=legal_only)
        self._sides = (forward.side, backward.side)
        self._hardware = hardware
        self._seed, self._tolerance = seed, tolerance
        self._legal_only = legal_only
        self._mode = Mode.POLYNOMIAL
        #: What comparisons gave in all runs, and in one on other integers, once it is asked for.
        self._outcomes = Outcomes()
        self._redrawn: Outcomes | None = None

    def check(self) -> GradientAnswers:
        """Answer all questions, as far as they can be answered. Raises `UsageError` where nothing says what belongs to
        what, `OutsideDomain` where a target does not call its kernel with these dimensions."""
        found = GradientAnswers()
        with one_thread():
            run = partial(self.runs.floats, Draw(self._seed))
            both, found.legal = run_legally(run, self._sides, self._hardware)
            if both is None or (self._legal_only and found.legal.answer is not EquivalenceAnswer.YES):
                return found
            found.pairing = self.runs.pairing
            found.shapes = {
                name: f"{tensor.dtype}{list(map(int, tensor.shape))}"
                for execution in both
                for name, tensor in execution.arguments.items()
            }
            found.defined = self._definedness(both[1])
            computed = (execution.elements.numbers for execution in both)
            functions = set().union(*(numbers.computed for numbers in computed if isinstance(numbers, Floats)))
            self._mode = self._mode.with_laws_of(functions)
            self._answer(found, both)
        return found

    # --- the questions ------------------------------------------------------------------------------------------------

    def _definedness(self, backward: AskedKernel) -> ComparisonFinding:
        assert self.runs.pairing is not None
        for gradient, (_, tensor) in zip(self.runs.pairing.gradients, backward.outputs(), strict=True):
            marks = contents(backward.elements, tensor)[1]
            if marks is not None and marks.any():
                element = np.unravel_index(int((marks != 0).argmax()), marks.shape)
                origin = backward.elements.origin(int(marks[element]))
                why = "nothing writes it" if origin is None else str(origin)
                return ComparisonFinding(
                    EquivalenceAnswer.NO, f"{gradient.name}[{', '.join(map(str, map(int, element)))}]: {why}"
                )
        return ComparisonFinding(EquivalenceAnswer.YES, "the backward kernel defines every element of its gradients")

    def _answer(self, found: GradientAnswers, both: tuple[AskedKernel, AskedKernel]) -> None:
        assert self.runs.pairing is not None
        gradients = self.runs.pairing.gradients
        try:
            free = self._for_all_orders()
            sure = [free is not None and _compared(free, number, "") is None for number in range(len(gradients))]
            evaluation = free if free is not None and all(sure) else self.evaluation(Draw(self._seed))
            answers = self._all_over_the_reals(evaluation, free, sure)
        except (Illegal, UnsupportedConstruct) as limit:
            unknown = ComparisonFinding(EquivalenceAnswer.UNKNOWN, _text(limit))
            found.gradients = [GradientAnswer(gradient, unknown, unknown) for gradient in gradients]
            return
        for number, (gradient, (reals, at)) in enumerate(zip(gradients, answers, strict=True)):
            one = GradientAnswer(gradient, reals, self._floating(both[1], evaluation, number, reals))
            if reals.answer is EquivalenceAnswer.NO:
                one.diagnosis = Diagnosis(self.runs, at, number).sentences()
            found.gradients.append(one)

    def _all_over_the_reals(
        self, evaluation: Evaluation, free: Evaluation | None, sure: list[bool]
    ) -> list[tuple[ComparisonFinding, Evaluation]]:
        """The answers, and the evaluations that they come from; `sure` are those that hold in the one with maxima that
        are not decided."""
        answers: dict[int, tuple[ComparisonFinding, Evaluation]] = {}
        open_ones = [number for number, holds in enumerate(sure) if not holds]
        if free is not None and any(sure):
            bits = self._bits(free, [number for number, holds in enumerate(sure) if holds])
            answers = {number: (self._equal(free, known, None, ""), free) for number, known in bits.items()}
        if open_ones:
            ties, why_not = self._with_ties(evaluation)
            wide = self._of_other_magnitudes(evaluation)
            for number in open_ones:
                for one, where in ((evaluation, ""), (ties, " where elements of an argument are equal")):
                    if one is not None and number not in answers and (said := _compared(one, number, where)):
                        answers[number] = said, one
                if wide is not None and number not in answers:
                    said = _compared(wide, number, " for numbers of magnitudes from 2^-14 to 8")
                    if said is not None and said.answer is EquivalenceAnswer.NO:
                        answers[number] = said, wide
            bits = self._bits(evaluation, [number for number in open_ones if number not in answers])
            for number, known in bits.items():
                answers[number] = self._equal(evaluation, known, ties, why_not), evaluation
        return [answers[number] for number in range(len(sure))]

    def _equal(self, evaluation: Evaluation, bits: int, ties: Evaluation | None, why_not: str) -> ComparisonFinding:
        if bits < 0:
            return ComparisonFinding(EquivalenceAnswer.UNKNOWN, "equal modulo some primes, and not modulo others")
        if bits < _LEAST_BITS:
            return ComparisonFinding(
                EquivalenceAnswer.UNKNOWN, f"no difference was found, but the bound on an error is only 2^-{bits}"
            )
        text = f"at these shapes{self.runs.drawn}, error <= 2^-{bits}{self._arbitrary(evaluation)}"
        one_way = self._integers_one_way()
        if evaluation.numbers.decided:
            one_way = [*self._outcomes.one_way(), *one_way]
        if one_way:
            return ComparisonFinding(EquivalenceAnswer.UNKNOWN, f"{text}, {one_way_text(one_way)}")
        if not evaluation.numbers.decided:
            return ComparisonFinding(EquivalenceAnswer.YES, text)
        drawn = "with ties and without" if ties is not None else f"without ties ({why_not})"
        return ComparisonFinding(
            EquivalenceAnswer.TESTED, f"{text}, for the order of the numbers that were drawn, {drawn}"
        )

    def _integers_one_way(self) -> list[Site | None]:
        """The places where integers that were drawn are compared and one outcome only was seen."""
        if not self._outcomes.integers_one_way():
            return []
        if self._redrawn is None:
            redrawn = Outcomes()
            ended = if_they_end(lambda: self.evaluation(Draw(self._seed + 1), outcomes=redrawn))
            # Where nothing is known of other integers, each comparison may depend on them.
            self._redrawn = redrawn if ended is not None else Outcomes()
        return self._outcomes.integers_one_way(self._redrawn)

    @staticmethod
    def _arbitrary(evaluation: Evaluation) -> str:
        fields = evaluation.numbers.exactly
        assert isinstance(fields, Fields)
        names = sorted(name for name in set(fields.functions) - {"exp", "log", "max"} if not name.endswith(" of max"))
        return f", for any functions {', '.join(names)}" if names else ""

    def _floating(
        self, backward: AskedKernel, evaluation: Evaluation, number: int, reals: ComparisonFinding
    ) -> ComparisonFinding:
        """The gradient in floating point next to the same in float64."""
        if reals.answer is EquivalenceAnswer.NO:
            return ComparisonFinding(EquivalenceAnswer.NO, "as over the reals")
        _, tensor = backward.outputs()[number]
        elements, marks = contents(backward.elements, tensor)
        computed = backward.elements.numbers.read(elements, tensor.dtype).astype(np.float64).ravel()
        wanted = evaluation.gradients[number][-1]
        compared = np.ones(wanted.shape, bool) if marks is None else (marks == 0).ravel()
        dtypes = {part.dtype for part in (*backward.arguments.values(), tensor)}
        relative = number_formats.tolerance(dtypes) if self._tolerance is None else self._tolerance
        finite = compared & np.isfinite(wanted)
        limit = relative * float(np.abs(wanted[finite]).max(initial=1e-30))
        with np.errstate(invalid="ignore"):
            away = np.abs(computed - wanted)
        away = np.where(~compared | (np.isnan(computed) & np.isnan(wanted)) | (computed == wanted), 0.0, away)
        away = np.where(np.isnan(away), np.inf, away)
        worst = int(away.argmax())
        if away[worst] > limit:
            place = ", ".join(str(int(part)) for part in np.unravel_index(worst, tuple(map(int, tensor.shape))))
            name = evaluation_name(self.runs, number)
            text = f"{name}[{place}] is {computed[worst]:.9g}, and {wanted[worst]:.9g} in float64"
            return ComparisonFinding(EquivalenceAnswer.NO, f"{text}; tolerance {limit:.3g}")
        return ComparisonFinding(
            EquivalenceAnswer.TESTED,
            f"greatest difference {away[worst]:.3g} from float64 on one random input, tolerance {limit:.3g}",
        )

    # --- runs ---------------------------------------------------------------------------------------------------------

    def _for_all_orders(self) -> Evaluation | None:
        """Both kernels with maxima that are not decided, where nothing else is."""
        found = if_they_end(lambda: self.evaluation(Draw(self._seed), free_maxima=True))
        return None if found is None or found.numbers.decided else found

    def evaluation(
        self,
        draw: Draw,
        chains: int = 1,
        first: int = 0,
        free_maxima: bool = False,
        outcomes: Outcomes | None = None,
    ) -> Evaluation:
        """Both kernels over prime fields at which no divisor is zero. Raises `UnsupportedConstruct`, `Illegal`."""
        for attempt in range(first, first + ComparingBudget.ATTEMPTS):
            fields = Fields((self._seed, attempt), False, self._mode, chains)
            found = self._evaluated(fields, draw, free_maxima, outcomes)
            needed = self._mode.with_laws_of(fields.functions)
            if needed is not self._mode:
                self._mode = needed
                return self.evaluation(draw, chains, first, free_maxima, outcomes)
            if _is_known(found, fields):
                return found
        raise UnsupportedConstruct("a divisor that is zero for all values that were tried")

    def _evaluated(
        self, exact: Fields | Degrees, draw: Draw, free_maxima: bool = False, outcomes: Outcomes | None = None
    ) -> Evaluation:
        assert self.runs.pairing is not None
        numbers = Pieces(exact, free_maxima, self._outcomes if outcomes is None else outcomes)
        places = [gradient.position for gradient in self.runs.pairing.gradients]
        directions = [self.runs.direction(numbers, draw, place) for place in places]
        duals = Duals(numbers, len(places))
        forward = self.runs.run_forward(duals, draw, list(zip(places, directions, strict=True)))
        backward = self.runs.run_backward(numbers, draw, forward.values)
        incoming = self.runs.incoming(numbers, draw)
        return Evaluation(numbers, draw, forward, incoming, directions, self.runs.gradients(backward))

    def _with_ties(self, evaluation: Evaluation) -> tuple[Evaluation | None, str]:
        """Both kernels where elements of arguments are equal, if anything is decided by them; or why not."""
        if not evaluation.numbers.decided:
            return None, ""
        draw, fields = Draw(self._seed, tied=True), evaluation.numbers.exactly
        assert isinstance(fields, Fields)
        try:
            # The same primes: what is costly is to find their logarithms.
            found = self._evaluated(fields, draw)
            return (found if _is_known(found, fields) else self.evaluation(draw, first=1)), ""
        except (Illegal, UnsupportedConstruct) as limit:
            return None, _text(limit)

    def _of_other_magnitudes(self, evaluation: Evaluation) -> Evaluation | None:
        """Both kernels on floats of other magnitudes, if anything is decided by them; None where they cannot be run."""
        if not evaluation.numbers.decided:
            return None
        return if_they_end(lambda: self.evaluation(Draw(self._seed, wide=True)))

    def _bits(self, evaluation: Evaluation, numbers: Sequence[int]) -> dict[int, int]:
        """-log2 of the probability that gradients which agree are wrong, by their numbers; there are runs on other
        primes as long as it is great. -1 for a gradient of which one of them shows a difference."""
        if not numbers:
            return {}
        known = set(numbers)
        bits = self._error_bits(evaluation)
        for number in range(1, _RUNS):
            if bits >= _WANTED_BITS or not known:
                break
            free = evaluation.numbers.free_maxima
            again = self.evaluation(
                evaluation.draw, chains=4, first=number * ComparingBudget.ATTEMPTS, free_maxima=free
            )
            known = {place for place in known if not _differs(again, place)}
            bits += self._error_bits(again)
        return {number: bits if number in known else -1 for number in numbers}

    def _error_bits(self, evaluation: Evaluation) -> int:
        """The best of bounds each of which holds, searched for as long as it is too small."""
        fields = evaluation.numbers.exactly
        assert isinstance(fields, Fields)
        free = evaluation.numbers.free_maxima

        def bound(degree: float, of_arguments: float) -> int:
            return error_bits(
                output_degree=degree,
                argument_degree=2 * of_arguments,
                applications=fields.applications,
                maxima=fields.functions.get("max", 0),
                lane_bits=fields.lane_bits,
                maximum_bits=fields.payload_bits,
            )

        degrees = Degrees(roundings=False)
        found = self._evaluated(degrees, evaluation.draw, free)
        sums = [side for number in range(len(found.gradients)) for side in found.sides(number)[:2]]
        bits = bound(2 * _degree(sums), degrees.of_arguments)
        if bits < _WANTED_BITS and evaluation.linear(self.runs):
            bits = max(bits, bound(_of_elements(found), degrees.of_arguments))
            if bits < _WANTED_BITS:
                cleared = Cleared()
                found = self._evaluated(cleared, evaluation.draw, free)
                bits = max(bits, bound(cleared.whole(_of_elements(found)), cleared.whole(cleared.of_arguments)))
        return min(bits, fields.identity) if fields.chooses_roots else bits


def _of_elements(found: Evaluation) -> float:
    """The degree of what is to vanish where the gradients are linear in the incoming ones: of an element of the
    difference of two bilinear forms, of these forms, and of what linear means."""
    derivatives = [part for parts in found.forward.derivatives for part in parts]
    return 2.0 + _degree(derivatives) + 3 * _degree(found.gradients)


def _is_known(found: Evaluation, fields: Fields) -> bool:
    """True if nothing that is compared depends on a quotient by 0."""
    if not fields.divided_by_zero:
        return True
    sides = (side for number in range(len(found.gradients)) for side in found.sides(number)[:2])
    return all(fields.missing(side[:-1], fields.identity) is None for side in sides)


def _text(limit: Illegal | UnsupportedConstruct) -> str:
    return limit.text if isinstance(limit, Illegal) else limit_text(limit)


def _degree(numbers: Sequence[Array]) -> float:
    """The greatest sum of the degrees of a numerator and a denominator."""
    return max(float(part[:2].sum(axis=0).max(initial=0.0)) for part in numbers)


def evaluation_name(runs: GradientRuns, number: int) -> str:
    """The name of a gradient."""
    assert runs.pairing is not None
    return runs.pairing.gradients[number].name


def _differs(evaluation: Evaluation, number: int) -> bool:
    """True if a gradient differs over prime fields."""
    left, right, _ = evaluation.sides(number)
    fields = evaluation.numbers.exactly
    assert isinstance(fields, Fields)
    return not fields.equal(left[:-1], right[:-1]).all()


def _compared(evaluation: Evaluation, number: int, where: str) -> ComparisonFinding | None:
    """The answer about a gradient that is not equal; None if it is."""
    left, right, size = evaluation.sides(number)
    exactly = not _differs(evaluation, number)
    one, other = float(left[-1, 0]), float(right[-1, 0])
    if not np.isfinite(one) or not np.isfinite(other):
        return ComparisonFinding(EquivalenceAnswer.UNKNOWN, f"numbers that are not finite in float64{where}")
    differ = apart(left, right, size)
    if exactly and not differ:
        return None
    if differ and not exactly:
        return ComparisonFinding(
            EquivalenceAnswer.NO, f"in a random direction it is {other:.6g}, and has to be {one:.6g}{where}"
        )
    if exactly:
        return ComparisonFinding(
            EquivalenceAnswer.UNKNOWN, f"equal over prime fields, but not in float64: {other:.6g} and {one:.6g}{where}"
        )
    fields = evaluation.numbers.exactly
    names = sorted(set(fields.functions) - {"max"}) if isinstance(fields, Fields) else []
    identity = f", or an identity of {' and '.join(names)} may make it equal" if names else ""
    text = f"equal in float64, but not exactly: constants may have been rounded{identity}"
    return ComparisonFinding(EquivalenceAnswer.UNKNOWN, text + where)
