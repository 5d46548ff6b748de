"""Equivalence of two kernels in what they compute (docs/equivalence.md): four verdicts, never merged.

`reals`: equal over the real numbers, decided over prime fields. `floats`: equal in floating point, tested. `defined`:
the second kernel is defined wherever the first one is. `legal`: no contract is broken at these shapes, those of memory
included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from nkiverify.analysis.values import number_formats
from nkiverify.analysis.values.asked_kernel import AskedKernel, contents
from nkiverify.analysis.values.comparison_outcomes import Outcomes, one_way_text
from nkiverify.analysis.values.degrees import Degrees
from nkiverify.analysis.values.fields import QUOTIENTS, Fields
from nkiverify.analysis.values.known_residues import INFINITE, PRIMES, PRIMES_OF_QUOTIENTS, Mode
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.slices import slice_of
from nkiverify.foundation.budget import ComparingBudget
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.foundation.source import Site
from nkiverify.foundation.threads import one_thread
from nkiverify.model.dtypes import DType, float32
from nkiverify.model.hardware import Hardware
from nkiverify.products.equiv.comparison import (
    ComparisonFinding,
    Difference,
    EquivalenceAnswer,
    Executions,
    KernelComparison,
    limit_text,
    run_legally,
)
from nkiverify.products.equiv.error_probability import error_bits
from nkiverify.products.equiv.few_inputs import example
from nkiverify.products.equiv.paired_results import OtherResults, Output, outputs_of, outputs_of_reference
from nkiverify.products.equiv.paired_runs import Illegal, PairedRuns, Side, drawn_text, if_they_end, times_within
from nkiverify.products.equiv.unrounded import differ_unrounded

#: The least -log2 of the probability of an error that is given, and how many times both kernels run for it at most.
_WANTED_BITS, _RUNS = 40, 4
#: With less than that nothing is said.
_LEAST_BITS = 20
#: Elements of the results that are compared at a time.
_BLOCK = 1 << 18
#: What is said of results that agree in every bit.
IDENTICAL = "identical"
#: What is said of kernels that are equal over the real numbers and need not be in floating point.
OTHER_ROUNDINGS = "the kernels need not round the same values"


#: An output, by its number, and an element of it.
_Place = tuple[int, tuple[int, ...]]


#: What is said where elements could not be compared.
_NO_NUMBER = "an element depends on a divisor that is zero, or on infinity less infinity, for all values tried"


class _ZeroDivisor(Exception):
    """An element depends on a divisor that is zero for every choice of values."""


class Comparer:
    """Runs both kernels on the same inputs in several kinds of numbers."""

    def __init__(
        self,
        first: Side,
        second: Side,
        hardware: Hardware,
        seed: int,
        tolerance: float | None,
        legal_only: bool = False,
        reshape: bool = False,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        """With `legal_only` nothing is asked about shapes that are not legal in both kernels. With `reshape` tensors
        may differ in shape: the same elements in row-major order. `tell` is given what is known before the answer over
        the reals, which may take long."""
        self._runs = PairedRuns(first, second, hardware, seed, legal_only)
        self._hardware = hardware
        self._tolerance = tolerance
        self._legal_only = legal_only
        self._reshape = reshape
        #: Which functions have their laws: those that the kernels compute; and how many primes there are without any.
        self._mode = Mode.POLYNOMIAL
        self._primes = PRIMES
        #: That positive constants are taken out of maxima.
        self._scaling = False
        self._tell = tell
        #: On how many random inputs the kernels are compared in floating point.
        self._again = 1

    def compare(self, reals: bool = True) -> KernelComparison:
        """Answer all four questions, that about the `reals` if it is wanted, as far as they can be answered. Raises
        `UsageError` where the kernels do not take the same arguments, `OutsideDomain` where a target does not call its
        kernel with these dimensions."""
        found = KernelComparison()
        with one_thread():
            run = partial(self._runs.run, Floats, self._runs.random_floats)
            floats, found.legal = run_legally(run, self._runs.sides, self._hardware)
            if floats is None or (self._legal_only and found.legal.answer is not EquivalenceAnswer.YES):
                return found
            numbers = floats[0].elements.numbers
            assert isinstance(numbers, Floats)
            self._mode = Mode.POLYNOMIAL.with_laws_of(numbers.computed)
            if numbers.computed <= QUOTIENTS and set().union(*(one.elements.dtypes for one in floats)) <= {float32}:
                self._primes = PRIMES_OF_QUOTIENTS
            found.assumed = tuple(self._runs.one_sided)
            found.shapes = {
                name: f"{tensor.dtype}{list(map(int, tensor.shape))}" for name, tensor in floats[0].arguments.items()
            }
            try:
                pairs = self._paired(floats)
            except UnsupportedConstruct as limit:
                pairs = ComparisonFinding(EquivalenceAnswer.UNKNOWN, limit_text(limit))
            if isinstance(pairs, ComparisonFinding):
                found.defined = found.reals = found.floats = pairs
                return found
            found.defined = self._definedness(floats, pairs)
            if not any(pair.defined(floats).any() for pair in pairs):
                found.reals = found.floats = ComparisonFinding(
                    EquivalenceAnswer.UNKNOWN, "no element is defined in both kernels"
                )
                return found
            found.floats = self._floating(floats, pairs, _of_interface(floats, pairs))
            if not reals:
                return found
            self._again = min(ComparingBudget.INPUTS, 1 + times_within(ComparingBudget.WORK_OF_INPUTS, floats))
            self._tell(f"floating point {found.floats.answer.value}: {found.floats.text}")
            kept = (floats, pairs) if found.floats.answer is EquivalenceAnswer.NO else None
            # What they hold would be there next to the same over fields.
            del floats, pairs
            found.reals = self._over_the_reals(found)
            if kept is not None and found.reals.answer in (EquivalenceAnswer.YES, EquivalenceAnswer.ROUNDINGS):
                found.floats = self._with_roundings(found.floats, self._floating(*kept, _rounded(kept[0])), found.reals)
        return found

    @staticmethod
    def _with_roundings(
        floats: ComparisonFinding, allowed: ComparisonFinding, reals: ComparisonFinding
    ) -> ComparisonFinding:
        """The answer in floating point, given the one that allows for what kernels round in between."""
        if reals.answer is EquivalenceAnswer.YES:
            # What both kernels round the same, both have to: where sums differ in their last bits, so may that.
            return allowed
        if allowed.answer is EquivalenceAnswer.TESTED:
            return ComparisonFinding(floats.answer, f"{floats.text}; no more than what they round in between may make")
        return floats

    # --- the questions ------------------------------------------------------------------------------------------------

    def _paired(self, both: tuple[AskedKernel, AskedKernel]) -> list[Output] | ComparisonFinding:
        self._check_arguments(both)
        try:
            pairs = self._outputs(both)
        except OtherResults as difference:
            return ComparisonFinding(EquivalenceAnswer.NO, str(difference))
        for pair in pairs:
            if not self._alike(pair.shape, pair.other_shape):
                advice = "; --reshape compares them in row-major order"
                same = np.prod(pair.shape) == np.prod(pair.other_shape)
                text = f"{pair.name} has the shape {list(pair.shape)} and {list(pair.other_shape)}"
                return ComparisonFinding(EquivalenceAnswer.NO, text + (advice if same else ""))
        if not pairs:
            return ComparisonFinding(EquivalenceAnswer.UNKNOWN, "the kernels return nothing and write nothing")
        return pairs

    def _check_arguments(self, both: tuple[AskedKernel, AskedKernel]) -> None:
        shapes = [
            [(tuple(map(int, tensor.shape)), tensor.dtype) for tensor in execution.arguments.values()]
            for execution in both
        ]
        uniform = len(shapes[0]) == len(shapes[1]) and all(
            self._alike(one, other) and dtype == other_dtype
            for (one, dtype), (other, other_dtype) in zip(*shapes, strict=True)
        )
        if not uniform:
            raise UsageError("the two kernels are not given the same tensors: their shapes or dtypes differ")

    def _outputs(self, both: tuple[AskedKernel, AskedKernel]) -> list[Output]:
        return outputs_of_reference(both) if self._runs.reference else outputs_of(both)

    def _alike(self, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        return one == other or (self._reshape and np.prod(one) == np.prod(other))

    @staticmethod
    def _other_dtypes(pairs: Sequence[Output]) -> str:
        """A result that the kernels return in different dtypes, if there is one."""
        dtypes = ((pair.name, *(tensor.dtype for tensor in pair.tensors)) for pair in pairs)
        found = (f"{name} is {one} and {two}" for name, one, two in dtypes if one != two)
        return next(found, "")

    def _definedness(self, both: tuple[AskedKernel, AskedKernel], pairs: Sequence[Output]) -> ComparisonFinding:
        other = self._other_dtypes(pairs)
        if other and not self._runs.reference:
            return ComparisonFinding(EquivalenceAnswer.NO, other)
        more = 0
        for pair in pairs:
            name, marks = pair.name, pair.marks(both)
            # A reference defines everything, and the kernel is to.
            order = (1, 0) if self._runs.reference else (0, 1)
            lost = (marks[order[0]] == 0) & (marks[order[1]] != 0)
            if lost.any():
                element = np.unravel_index(int(lost.argmax()), lost.shape)
                origin = both[order[1]].elements.origin(int(marks[order[1]][element]))
                why = "nothing writes it" if origin is None else str(origin)
                place = ", ".join(str(int(part)) for part in element)
                whose = "" if self._runs.reference else " in the second kernel only"
                return ComparisonFinding(EquivalenceAnswer.NO, f"{name}[{place}] is undefined{whose}: {why}")
            more += int(((marks[0] != 0) & (marks[1] == 0)).sum())
        if self._runs.reference:
            return ComparisonFinding(EquivalenceAnswer.YES, "the kernel defines every element")
        if more:
            return ComparisonFinding(
                EquivalenceAnswer.YES, f"the second kernel also defines {more} elements that the first one does not"
            )
        return ComparisonFinding(EquivalenceAnswer.YES, "both kernels define the same elements")

    def _relative_to(self, dtypes: Iterable[DType]) -> float:
        return number_formats.tolerance(dtypes) if self._tolerance is None else self._tolerance

    def _relative(self, both: tuple[AskedKernel, AskedKernel], pairs: Sequence[Output]) -> float:
        return self._relative_to(_of_interface(both, pairs))

    def _floating(
        self, both: tuple[AskedKernel, AskedKernel], pairs: Sequence[Output], dtypes: Iterable[DType]
    ) -> ComparisonFinding:
        """The comparison in floating point; the kernels may round to these dtypes."""
        relative = self._relative_to(dtypes)
        whole = all(tensor.dtype.is_integer for tensor in both[0].arguments.values())
        worst, limit, equal = 0.0, 0.0, True
        shown = ""
        for pair in pairs:
            name, compared = pair.name, pair.defined(both)
            left, right = (
                np.where(compared, found[0], found.dtype.type(0)).astype(np.float64) for found in pair.elements(both)
            )
            equal = equal and bool(np.array_equal(left[compared], right[compared], equal_nan=True))
            with np.errstate(invalid="ignore"):
                apart = np.where(compared & ~(np.isnan(left) & np.isnan(right)) & (left != right), left - right, 0.0)
            apart = np.where(np.isnan(apart), np.inf, np.abs(apart))
            finite = next((part for part in (left, right) if (compared & np.isfinite(part)).any()), left)
            sizes = np.where(compared & np.isfinite(finite), np.abs(finite), 0.0)
            # What a mask fills with the least float would be a tolerance in which all else disappears.
            stands_for_infinity = sizes >= INFINITE
            scale = float(sizes[~stands_for_infinity].max(initial=1e-30))
            # Integers that are computed from integers are right or wrong.
            allowed = (
                0.0 if self._tolerance is None and whole and pair.tensors[0].dtype.is_integer else relative * scale
            )
            beyond = apart > np.where(stands_for_infinity, relative * sizes, allowed)
            if beyond.any() and worst <= limit:
                place = np.unravel_index(int(beyond.argmax()), beyond.shape)
                coordinates = ", ".join(str(int(part)) for part in place)
                shown = f"{name}[{coordinates}] is {float(left[place]):.9g} and {float(right[place]):.9g}"
                worst, limit = float(apart.max()), allowed
            elif worst <= limit and float(apart.max(initial=0.0)) >= worst:
                worst, limit = float(apart.max(initial=0.0)), allowed
        if worst > limit:
            return ComparisonFinding(
                EquivalenceAnswer.NO, f"{shown}; greatest difference {worst:.3g}, tolerance {limit:.3g}"
            )
        if equal:
            return ComparisonFinding(EquivalenceAnswer.TESTED, f"{IDENTICAL} on one random input")
        return ComparisonFinding(
            EquivalenceAnswer.TESTED, f"greatest difference {worst:.3g} on one random input, tolerance {limit:.3g}"
        )

    def _over_the_reals(self, found: KernelComparison) -> ComparisonFinding:
        try:
            both, pairs, place = self._compared(roundings=not self._runs.reference)
            numbers, drawn = _fields(both), self._drawn(both)
            leaves_out = self._runs.reference and bool(both[0].elements.dtypes - {float32})
            if place is None:
                # Nothing asks for their elements any more: they would be there besides their degrees.
                integers = bool(self._runs.integers_drawn(both[0]))
                del both, pairs
                place = self._run_again(numbers, found)
                one_way = self._integers_one_way(numbers) if integers and place is None else []
                if one_way:
                    return ComparisonFinding(
                        EquivalenceAnswer.UNKNOWN, f"equal at these shapes{drawn}, {one_way_text(one_way)}"
                    )
            if place is None:
                return self._equal(numbers, found, drawn, leaves_out=leaves_out)
            rounded = numbers.rounded_to
            if not rounded:
                return self._explained(place, numbers, found)
            both, pairs, other = self._compared(roundings=False)
            if other is not None:
                return self._explained(other, _fields(both), found)
            name, element = pairs[place[0]].name, ", ".join(map(str, place[1]))
            return ComparisonFinding(
                EquivalenceAnswer.ROUNDINGS,
                f"equal{self._drawn(both)} if conversions to {_joined(rounded)} changed nothing, but "
                f"{OTHER_ROUNDINGS}: {name}[{element}]",
            )
        except _ZeroDivisor:
            return ComparisonFinding(EquivalenceAnswer.UNKNOWN, _NO_NUMBER)
        except Illegal as illegal:
            return ComparisonFinding(EquivalenceAnswer.UNKNOWN, f"{illegal.side.label}: {illegal.text}")
        except UnsupportedConstruct as limit:
            return ComparisonFinding(EquivalenceAnswer.UNKNOWN, limit_text(limit))

    def _integers_one_way(self, numbers: Fields) -> list[Site | None]:
        """The places where integers that were drawn are compared and one outcome only was seen."""
        if not numbers.outcomes.integers_one_way():
            return []
        made = partial(Fields, numbers.seed, numbers.roundings, self._mode, primes=self._primes)
        runs = self._runs.redrawn()
        redrawn = if_they_end(lambda: _fields(runs.run(made, runs.random_residues)).outcomes)
        # Where nothing is known of other integers, each comparison may depend on them.
        return numbers.outcomes.integers_one_way(redrawn if redrawn is not None else Outcomes())

    def _compared(self, *, roundings: bool) -> tuple[Executions, Sequence[Output], _Place | None]:
        """Both kernels over fields, and the first difference. Where maxima are in it, constants are taken out of them
        as well: then numbers are equal that are made in either way, unless they are made so in one kernel only."""
        both, pairs, place = self._over_fields(roundings=roundings)
        if place is None or "max" not in _fields(both).functions:
            return both, pairs, place
        self._scaling = True
        again, others, other = self._over_fields(roundings=roundings)
        if other is None:
            return again, others, None
        self._scaling = False
        return both, pairs, place

    def _over_fields(
        self, *, roundings: bool, first: int = 0, chains: int = 1
    ) -> tuple[Executions, Sequence[Output], _Place | None]:
        """Both kernels on random residues, their results and the first difference. Elements that depend on a quotient
        by 0 in one run are compared in another, on other residues. Raises `_ZeroDivisor` where one does in all."""
        left: list[Array] | None = None
        for attempt in range(first, first + ComparingBudget.ATTEMPTS):
            both = self._runs.run(
                partial(Fields, (self._runs.seed, attempt), roundings, self._mode, chains, self._primes, self._scaling),
                self._runs.random_residues,
            )
            functions = _fields(both).functions
            needed, primes = self._mode.with_laws_of(functions), PRIMES if functions else self._primes
            if (needed, primes) != (self._mode, self._primes):
                # A reference has functions that the kernel has not.
                self._mode, self._primes = needed, primes
                return self._over_fields(roundings=roundings, first=first, chains=chains)
            pairs = self._paired(both)
            assert not isinstance(pairs, ComparisonFinding)
            left = left or [pair.defined(both).ravel() for pair in pairs]
            place = self._first_difference(both, pairs, left)
            if place is not None or not any(part.any() for part in left):
                return both, pairs, place
        raise _ZeroDivisor

    def _run_again(self, numbers: Fields, found: KernelComparison) -> _Place | None:
        """Run with more primes until an error is as improbable as it is to be; a difference that this shows."""
        found.error_bits = self._error_bits(numbers)
        runs = ComparingBudget.RUNS_WITH_ROOTS if numbers.chooses_roots else _RUNS
        for attempt in range(ComparingBudget.ATTEMPTS, ComparingBudget.ATTEMPTS * runs, ComparingBudget.ATTEMPTS):
            if found.error_bits >= _WANTED_BITS:
                break
            chains = 1 if self._primes == PRIMES_OF_QUOTIENTS else 4
            again, _, place = self._over_fields(roundings=numbers.roundings, first=attempt, chains=chains)
            if place is not None:
                return place
            more = _fields(again)
            del again
            found.error_bits += self._error_bits(more)
        return None

    def _equal(self, numbers: Fields, found: KernelComparison, drawn: str, *, leaves_out: bool) -> ComparisonFinding:
        """The answer that the kernels are equal; `leaves_out`: one rounds, and what it is compared with does not."""
        if found.error_bits < _LEAST_BITS:
            return ComparisonFinding(
                EquivalenceAnswer.UNKNOWN,
                f"no difference was found, but the bound on an error is only 2^-{found.error_bits}",
            )
        rounded = numbers.rounded_to
        rounding = f"; both round the same values to {_joined(rounded)}" if rounded else ""
        if leaves_out:
            rounding = "; what the kernel rounds is left out"
        where = f"at these shapes{drawn}"
        return ComparisonFinding(
            EquivalenceAnswer.YES, f"{where}, error <= 2^-{found.error_bits}{_functions(numbers)}{rounding}"
        )

    def _drawn(self, both: tuple[AskedKernel, AskedKernel]) -> str:
        """That arguments have their contents, or are integers of a range that were drawn once: nothing is proved but
        for these."""
        return drawn_text(self._runs.integers_drawn(both[0]), self._runs.with_contents(both[0]))

    def _first_difference(self, both: Executions, pairs: Sequence[Output], left: Sequence[Array]) -> _Place | None:
        """The first difference; what is compared is no more `left` to be."""
        numbers = _fields(both)
        for position, pair in enumerate(pairs):
            one, two = (part.reshape(numbers.lanes, -1) for part in pair.elements(both))
            defined = pair.defined(both).ravel()
            # Block by block: the numbers are stored in half the room that arithmetic takes.
            for start in range(0, defined.size, _BLOCK):
                block = slice(start, start + _BLOCK)
                known = numbers.comparable(one[:, block], two[:, block])
                left[position][block] &= ~known
                differ = ~numbers.equal(one[:, block], two[:, block]) & defined[block] & known
                if differ.any():
                    element = np.unravel_index(start + int(differ.argmax()), pair.shape)
                    return position, tuple(int(part) for part in element)
        return None

    def _explained(
        self, where: tuple[int, tuple[int, ...]], numbers: Fields, found: KernelComparison
    ) -> ComparisonFinding:
        """The conclusion from different residues: that the kernels differ, or that the method is too strict."""
        position, element = where
        seed, roundings = numbers.seed, numbers.roundings
        made = partial(Fields, seed, roundings, self._mode, primes=self._primes)
        both = self._runs.run(made, self._runs.random_residues, watch=True)
        slices = []
        shown = []
        pair = self._outputs(both)[position]
        name, place = pair.name, int(np.ravel_multi_index(element, pair.shape))
        computed = [execution.elements.computed_words() for execution in both]
        for execution, tensor, residues, other in zip(
            both, pair.tensors, pair.elements(both), reversed(computed), strict=True
        ):
            own = np.unravel_index(place, tuple(map(int, tensor.shape)))
            slices.append(slice_of(execution.elements, tensor, tuple(int(part) for part in own), other))
            shown.append(_residue(residues.reshape(residues.shape[0], -1)[:, place]))
        found_example = example(self._runs, self._outputs, where, self._relative(both, self._outputs(both)))
        shown_example = "" if found_example is None else str(found_example)
        difference = Difference(name, element, shown[0], shown[1], slices[0], slices[1], shown_example)
        functions = sorted(slices[0].functions | slices[1].functions)
        coordinates = ", ".join(map(str, element))
        if not functions:
            return ComparisonFinding(EquivalenceAnswer.NO, f"{name}[{coordinates}]", difference)
        base = self._runs.seed
        self._look_again(found)
        # exp has its laws, but an exponential of exponentials has not, and log only what follows from exp.
        arbitrary = sorted(set(functions) - _lawful(self._mode))
        taken = f"with {_joined(arbitrary)} taken as arbitrary functions" if arbitrary else "by the laws of exp"
        # What float32 loses, by cancellation say, is no difference over the reals.
        unrounded = differ_unrounded(self._runs, self._outputs, made)
        self._runs.seed = base
        # Nor are integers what they are stored as there.
        decides = unrounded is not False or any(function.startswith("to ") for function in functions)
        if decides and found.floats is not None and found.floats.answer is EquivalenceAnswer.NO:
            return ComparisonFinding(
                EquivalenceAnswer.NO, f"{name}[{coordinates}] {taken}; floating point confirms it", difference
            )
        if unrounded:
            return ComparisonFinding(
                EquivalenceAnswer.NO, f"{name}[{coordinates}] {taken}; float64 confirms it", difference
            )
        text = f"{name}[{coordinates}] differs {taken}; an identity of {_joined(functions)} may make it equal"
        return ComparisonFinding(EquivalenceAnswer.UNKNOWN, text, difference)

    def _look_again(self, found: KernelComparison) -> None:
        """Compare in floating point on more inputs, till a difference was found; the seed is that of the last."""
        seed = self._runs.seed
        for number in range(1, self._again):
            if found.floats is None or found.floats.answer is EquivalenceAnswer.NO:
                return
            self._runs.seed = seed + number
            both = self._runs.run(Floats, self._runs.random_floats)
            pairs = self._paired(both)
            assert not isinstance(pairs, ComparisonFinding)
            once = self._floating(both, pairs, _of_interface(both, pairs))
            text = (
                once.text
                if once.answer is EquivalenceAnswer.NO
                else f"no greater difference on {number + 1} random inputs"
            )
            found.floats = ComparisonFinding(once.answer, text)

    def _error_bits(self, numbers: Fields) -> int:
        """-log2 of the probability that different values agree by chance, rounded down, once both kernels have run."""
        numbers.forget_arguments()
        both = self._runs.run(Degrees, self._runs.variables)
        degrees = both[0].elements.numbers
        assert isinstance(degrees, Degrees)
        outputs = max(
            float(contents(execution.elements, tensor)[0][:2].sum(axis=0).max())
            for pair in self._outputs(both)
            for execution, tensor in zip(both, pair.tensors, strict=True)
        )
        bits = error_bits(
            output_degree=2 * outputs,
            argument_degree=2 * degrees.of_arguments,
            applications=numbers.applications,
            maxima=numbers.functions.get("max", 0),
            lane_bits=numbers.lane_bits,
            maximum_bits=numbers.payload_bits,
        )
        return min(bits, numbers.identity) if numbers.chooses_roots else bits


def _fields(both: tuple[AskedKernel, AskedKernel]) -> Fields:
    numbers = both[0].elements.numbers
    assert isinstance(numbers, Fields)
    return numbers


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _rounded(both: Executions) -> set[DType]:
    """The dtypes of all tensors of both kernels."""
    return set().union(*(execution.elements.dtypes for execution in both))


def _of_interface(both: tuple[AskedKernel, AskedKernel], pairs: Sequence[Output]) -> set[DType]:
    """The dtypes of arguments and results: what both kernels have to round to, whatever they do in between."""
    arguments = {tensor.dtype for execution in both for tensor in execution.arguments.values()}
    return arguments | {tensor.dtype for pair in pairs for tensor in pair.tensors}


def _residue(lanes: Array) -> str:
    return "(" + ", ".join(str(int(lane)) for lane in lanes) + ")"


def _lawful(mode: Mode) -> frozenset[str]:
    """The functions that are no arbitrary ones in a mode."""
    return frozenset(() if mode is Mode.POLYNOMIAL else ("exp",) if mode is Mode.EXPONENTIAL else ("exp", "log"))


def _functions(numbers: Fields) -> str:
    # What has its laws, and what is said of conversions elsewhere.
    others = {f"to {dtype}" for dtype in numbers.rounded_to} | {"max", *_lawful(numbers.mode)}
    names = sorted(set(numbers.functions) - others)
    return f", for any functions {', '.join(names)}" if names else ""
