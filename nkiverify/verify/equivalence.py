"""Equivalence of two kernels in what they compute (docs/equivalence.md): four verdicts, never merged.

`reals`: equal over the real numbers, decided over prime fields. `floats`: equal in floating point, tested. `defined`:
the second kernel is defined wherever the first one is. `legal`: no contract is broken at these shapes, those of memory
included.
"""

from __future__ import annotations

import enum
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from nkiverify.analysis.values import formats
from nkiverify.analysis.values.degrees import Degrees
from nkiverify.analysis.values.execution import (
    Asked,
    Execution,
    Filling,
    argument_range,
    called,
    contents,
    execute,
    random_array,
)
from nkiverify.analysis.values.fields import LANE_BITS, LANES, Fields
from nkiverify.analysis.values.formats import Array
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.run import ValueExecution
from nkiverify.analysis.values.slices import Slice, slice_of
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct, UsageError, described
from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution, innermost_kernel_site
from nkiverify.frontend.target import OutsideDomain
from nkiverify.frontend.tracebacks import in_simulator
from nkiverify.model.dtypes import DType
from nkiverify.model.hardware import Hardware
from nkiverify.model.meaning import Numbers
from nkiverify.model.returned import Above, Leaf, Path, ambiguous, leaves, uniquely_named
from nkiverify.model.tensor import Tensor
from nkiverify.phases import MEMORY
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.substitution import is_plain

#: Random inputs on which kernels are compared in floating point where the method is too strict, and seconds for that.
_INPUTS = 16
_INPUT_SECONDS = 2.0
#: How many times other primes are tried where a denominator is zero by chance.
_ATTEMPTS = 4
#: Bits of the words that maxima are told apart by (`nkiverify.analysis.values.fields`).
_MAXIMUM_BITS = 2 * LANE_BITS
#: Containers that are leaves of a result, as nothing is in them.
_EMPTY = (tuple, list, dict, set, frozenset, deque)
#: What is said of results that agree in every bit.
IDENTICAL = "identical"
#: What is said of kernels that are equal over the real numbers and need not be in floating point.
OTHER_ROUNDINGS = "the kernels need not round the same values"


class Answer(enum.Enum):
    """What is known of one of the four questions."""

    YES = "EQUAL"
    NO = "DIFFERENT"
    UNKNOWN = "UNKNOWN"
    #: Over the reals only: equal if conversions that round changed nothing, but the kernels round different values.
    ROUNDINGS = "UNKNOWN (roundings)"
    #: Floating point only: no difference beyond the tolerance, on one input.
    TESTED = "EQUAL (tested)"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first element in which two results differ: its output, coordinates, what each kernel has there, and how it
    got there."""

    output: str
    element: tuple[int, ...]
    first: str
    second: str
    first_slice: Slice
    second_slice: Slice


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one question, with its reason in words."""

    answer: Answer
    text: str
    difference: Difference | None = None


@dataclass(slots=True)
class Comparison:
    """The four answers. `error_bits`: equal values would agree by chance with a probability of at most 2^-bits."""

    shapes: dict[str, str] = field(default_factory=dict)
    legal: Finding | None = None
    defined: Finding | None = None
    reals: Finding | None = None
    floats: Finding | None = None
    error_bits: int = 0

    def findings(self) -> list[Finding]:
        """The answers that were given."""
        return [answer for answer in (self.legal, self.defined, self.reals, self.floats) if answer is not None]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two kernels, with the dimensions it is run on."""

    label: str
    asked: Asked
    dimensions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Illegal(Exception):
    side: Side
    text: str


class _ZeroDivisor(Exception):
    """A divisor is zero for every choice of values."""


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
    ) -> None:
        """With `legal_only` nothing is asked about shapes that are not legal in both kernels."""
        self._sides = (first, second)
        self._hardware = hardware
        self._seed = seed
        self._tolerance = tolerance
        self._legal_only = legal_only

    def compare(self) -> Comparison:
        """Answer all four questions, as far as they can be answered. Raises `UsageError` where the kernels do not take
        the same arguments, `OutsideDomain` where a target does not call its kernel with these dimensions."""
        found = Comparison()
        with threadpool_limits(1):
            try:
                floats = self._run(Floats, self._random_floats)
                found.legal = self._legality(floats)
            except _Illegal as illegal:
                found.legal = Finding(Answer.NO, f"{illegal.side.label}: {illegal.text}")
                return found
            except UnsupportedConstruct as limit:
                found.legal = Finding(Answer.UNKNOWN, _limit_text(limit))
                return found
            if self._legal_only and found.legal.answer is not Answer.YES:
                return found
            found.shapes = {
                name: f"{tensor.dtype}{list(map(int, tensor.shape))}" for name, tensor in floats[0].arguments.items()
            }
            try:
                pairs = self._paired(floats)
            except UnsupportedConstruct as limit:
                pairs = Finding(Answer.UNKNOWN, _limit_text(limit))
            if isinstance(pairs, Finding):
                found.defined = found.reals = found.floats = pairs
                return found
            found.defined = self._definedness(floats, pairs)
            if not any(_both_defined(floats, one, two).any() for _, one, two in pairs):
                found.reals = found.floats = Finding(Answer.UNKNOWN, "no element is defined in both kernels")
                return found
            found.floats = self._floating(floats, pairs, _of_interface(floats, pairs))
            found.reals = self._over_the_reals(found)
            if found.reals.answer is Answer.YES and found.floats.answer is Answer.NO:
                # What both kernels round alike, both have to: where sums differ in their last bits, so may that.
                both = set().union(*(execution.run.dtypes for execution in floats))
                found.floats = self._floating(floats, pairs, both)
        return found

    # --- running ------------------------------------------------------------------------------------------------------

    def _run(
        self, numbers: Callable[[], Numbers], filling: Callable[[Numbers], Filling], watch: bool = False
    ) -> tuple[Execution, Execution]:
        shared = numbers()
        executions = []
        for side in self._sides:
            # A broken contract is no reason not to ask the other questions, as far as the kernel goes on.
            run = ValueExecution(self._hardware, shared, stop_at_first=self._legal_only)
            if watch:
                run.keep_history()
            try:
                executions.append(execute(side.asked, run, side.dimensions, filling(shared)))
            except (UsageError, OutsideDomain):
                raise
            except ContractViolation as violation:
                where = f" at {violation.site}" if violation.site is not None else ""
                raise _Illegal(side, _broken_text(run.broken) or f"{violation}{where}") from None
            except UnsupportedConstruct:
                if run.broken:
                    raise _Illegal(side, _broken_text(run.broken)) from None
                raise
            except MemoryError as error:
                # That is no fault of the kernel.
                raise UnsupportedConstruct(f"running {side.label} on numbers at these shapes: {error}") from None
            except Exception as error:
                if in_simulator(error) and not run.broken:
                    raise
                site = innermost_kernel_site(error)
                where = f" at {site}" if site is not None else ""
                raise _Illegal(side, _broken_text(run.broken) or f"{described(error)}{where}") from None
        return executions[0], executions[1]

    def _legality(self, both: tuple[Execution, Execution]) -> Finding:
        """True if the runs broke a contract, or the kernels need more memory than there is."""
        for side, execution in zip(self._sides, both, strict=True):
            text = _broken_text(execution.run.broken)
            if text:
                return Finding(Answer.NO, f"{side.label}: {text}")
        for side in self._sides:
            try:
                text = _broken_text(self._memory(side))
            except UnsupportedConstruct as limit:
                return Finding(Answer.UNKNOWN, f"the memory of {side.label}: {_limit_text(limit)}")
            if text:
                return Finding(Answer.NO, f"{side.label}: {text}")
        return Finding(Answer.YES, "no contract is broken at these shapes")

    def _memory(self, side: Side) -> list[BrokenContract]:
        """The contracts that a kernel breaks with those of memory, on a run without values."""
        run = ConcreteExecution(self._hardware, stop_at_first=False, phases=frozenset({MEMORY.number}))
        try:
            called(side.asked, run, side.dimensions)
        except Exception as error:
            # The kernel does run on values, which decided something here.
            raise UnsupportedConstruct(f"{type(error).__name__} in a run without values: {error}") from None
        for one in MEMORY.broken_at_end(run, self._hardware):
            run.note(one)
        return run.broken

    def _generators(self) -> Callable[[Tensor], np.random.Generator]:
        """One generator for the i-th tensor argument of either kernel."""
        position = 0

        def next_generator(tensor: Tensor) -> np.random.Generator:
            nonlocal position
            position += 1
            return np.random.default_rng((self._seed, position))

        return next_generator

    def _random_floats(self, numbers: Numbers) -> Filling:
        integers = self._integers(numbers)
        generator = self._generators()

        def fill(name: str, tensor: Tensor) -> Array:
            random, known = generator(tensor), integers(tensor)
            shape = tuple(map(int, tensor.shape))
            if known is not None:
                return known
            return numbers.entered(random_array(random, shape, tensor.dtype, -1.0, 1.0), tensor.dtype)

        return fill

    def _random_residues(self, numbers: Numbers) -> Filling:
        assert isinstance(numbers, Fields)
        integers = self._integers(numbers)
        generator = self._generators()

        def fill(name: str, tensor: Tensor) -> Array:
            random, known = generator(tensor), integers(tensor)
            shape = tuple(map(int, tensor.shape))
            return numbers.random_elements(random, shape, tensor.dtype) if known is None else known

        return fill

    def _variables(self, numbers: Numbers) -> Filling:
        assert isinstance(numbers, Degrees)
        known = self._integers(numbers)

        def fill(name: str, tensor: Tensor) -> Array:
            found = known(tensor)
            return numbers.variables(tuple(map(int, tensor.shape))) if found is None else found

        return fill

    def _integers(self, numbers: Numbers) -> Callable[[Tensor], Array | None]:
        """For arguments that were given a range: the same integers in every kind of numbers."""
        generator = self._generators()

        def integers(tensor: Tensor) -> Array | None:
            random, given = generator(tensor), argument_range(tensor)
            if given is None:
                return None
            shape = tuple(map(int, tensor.shape))
            return numbers.entered(random.integers(given[0], given[1] + 1, shape), tensor.dtype)

        return integers

    # --- the questions ------------------------------------------------------------------------------------------------

    def _paired(self, both: tuple[Execution, Execution]) -> list[tuple[str, Tensor, Tensor]] | Finding:
        self._check_arguments(both)
        try:
            pairs = _outputs(both)
        except _OtherResults as difference:
            return Finding(Answer.NO, str(difference))
        for name, one, two in pairs:
            if tuple(one.shape) != tuple(two.shape):
                return Finding(Answer.NO, f"{name} has the shape {list(one.shape)} and {list(two.shape)}")
        if not pairs:
            return Finding(Answer.UNKNOWN, "the kernels return nothing and write nothing")
        return pairs

    def _check_arguments(self, both: tuple[Execution, Execution]) -> None:
        shapes = [
            [(tuple(map(int, tensor.shape)), tensor.dtype) for tensor in execution.arguments.values()]
            for execution in both
        ]
        if shapes[0] != shapes[1]:
            raise UsageError("the two kernels are not given the same tensors: their shapes or dtypes differ")

    @staticmethod
    def _other_dtypes(pairs: Sequence[tuple[str, Tensor, Tensor]]) -> str:
        """A result that the kernels return in different dtypes, if there is one."""
        found = (f"{name} is {one.dtype} and {two.dtype}" for name, one, two in pairs if one.dtype != two.dtype)
        return next(found, "")

    def _definedness(self, both: tuple[Execution, Execution], pairs: Sequence[tuple[str, Tensor, Tensor]]) -> Finding:
        other = self._other_dtypes(pairs)
        if other:
            return Finding(Answer.NO, other)
        more = 0
        for name, one, two in pairs:
            marks = [_marks(execution, tensor) for execution, tensor in zip(both, (one, two), strict=True)]
            lost = (marks[0] == 0) & (marks[1] != 0)
            if lost.any():
                element = np.unravel_index(int(lost.argmax()), lost.shape)
                origin = both[1].run.origin(int(marks[1][element]))
                why = "nothing writes it" if origin is None else str(origin)
                place = ", ".join(str(int(part)) for part in element)
                return Finding(Answer.NO, f"{name}[{place}] is undefined in the second kernel only: {why}")
            more += int(((marks[0] != 0) & (marks[1] == 0)).sum())
        if more:
            return Finding(Answer.YES, f"the second kernel also defines {more} elements that the first one does not")
        return Finding(Answer.YES, "both kernels define the same elements")

    def _floating(
        self, both: tuple[Execution, Execution], pairs: Sequence[tuple[str, Tensor, Tensor]], dtypes: Iterable[DType]
    ) -> Finding:
        """The comparison in floating point; the kernels may round to these dtypes."""
        relative = formats.tolerance(dtypes) if self._tolerance is None else self._tolerance
        whole = all(tensor.dtype.is_integer for tensor in both[0].arguments.values())
        worst, limit, equal = 0.0, 0.0, True
        shown = ""
        for name, one, two in pairs:
            compared = _both_defined(both, one, two)
            left, right = (
                _defined_floats(execution, tensor, compared) for execution, tensor in zip(both, (one, two), strict=True)
            )
            equal = equal and bool(np.array_equal(left[compared], right[compared], equal_nan=True))
            with np.errstate(invalid="ignore"):
                apart = np.where(compared & ~(np.isnan(left) & np.isnan(right)) & (left != right), left - right, 0.0)
            apart = np.where(np.isnan(apart), np.inf, np.abs(apart))
            scale = float(np.abs(left[compared & np.isfinite(left)]).max(initial=1e-30))
            # Integers that are computed from integers are right or wrong.
            allowed = 0.0 if self._tolerance is None and whole and one.dtype.is_integer else relative * scale
            beyond = apart > allowed
            if beyond.any() and worst <= limit:
                place = np.unravel_index(int(beyond.argmax()), beyond.shape)
                coordinates = ", ".join(str(int(part)) for part in place)
                shown = f"{name}[{coordinates}] is {float(left[place]):.9g} and {float(right[place]):.9g}"
                worst, limit = float(apart.max()), allowed
            elif worst <= limit and float(apart.max(initial=0.0)) >= worst:
                worst, limit = float(apart.max(initial=0.0)), allowed
        if worst > limit:
            return Finding(Answer.NO, f"{shown}; greatest difference {worst:.3g}, tolerance {limit:.3g}")
        if equal:
            return Finding(Answer.TESTED, f"{IDENTICAL} on one random input")
        return Finding(Answer.TESTED, f"greatest difference {worst:.3g} on one random input, tolerance {limit:.3g}")

    def _over_the_reals(self, found: Comparison) -> Finding:
        try:
            both, pairs = self._over_fields(roundings=True)
            place = self._first_difference(both, pairs)
            numbers = _fields(both)
            if place is None:
                return self._equal(both, found)
            rounded = numbers.rounded_to
            if not rounded:
                return self._explained(place, numbers, found)
            both, pairs = self._over_fields(roundings=False)
            other = self._first_difference(both, pairs)
            if other is not None:
                return self._explained(other, _fields(both), found)
            name, element = pairs[place[0]][0], ", ".join(map(str, place[1]))
            return Finding(
                Answer.ROUNDINGS,
                f"equal{self._drawn(both)} if conversions to {_joined(rounded)} changed nothing, but "
                f"{OTHER_ROUNDINGS}: {name}[{element}]",
            )
        except _ZeroDivisor:
            return Finding(Answer.UNKNOWN, "a divisor is zero for all values that were tried")
        except _Illegal as illegal:
            return Finding(Answer.UNKNOWN, f"{illegal.side.label}: {illegal.text}")
        except UnsupportedConstruct as limit:
            return Finding(Answer.UNKNOWN, _limit_text(limit))

    def _over_fields(
        self, *, roundings: bool
    ) -> tuple[tuple[Execution, Execution], Sequence[tuple[str, Tensor, Tensor]]]:
        """Both kernels on random residues at which no divisor is zero, and their results. Raises `_ZeroDivisor`."""
        for attempt in range(_ATTEMPTS):
            both = self._run(partial(Fields, (self._seed, attempt), roundings), self._random_residues)
            if not _fields(both).divided_by_zero:
                pairs = self._paired(both)
                assert not isinstance(pairs, Finding)
                return both, pairs
        raise _ZeroDivisor

    def _equal(self, both: tuple[Execution, Execution], found: Comparison) -> Finding:
        numbers = _fields(both)
        found.error_bits = self._error_bits(numbers)
        rounded = numbers.rounded_to
        alike = f"; both round the same values to {_joined(rounded)}" if rounded else ""
        where = f"at these shapes{self._drawn(both)}"
        return Finding(Answer.YES, f"{where}, error <= 2^-{found.error_bits}{_functions(numbers)}{alike}")

    def _drawn(self, both: tuple[Execution, Execution]) -> str:
        """That arguments with a range are integers drawn once, of which nothing is proved but for these."""
        names = [name for name, tensor in both[0].arguments.items() if argument_range(tensor) is not None]
        return f" and for the integers drawn for {', '.join(names)}" if names else ""

    def _first_difference(
        self, both: tuple[Execution, Execution], pairs: Sequence[tuple[str, Tensor, Tensor]]
    ) -> tuple[int, tuple[int, ...]] | None:
        for position, (_, one, two) in enumerate(pairs):
            left, right = (
                contents(execution.run, tensor)[0] for execution, tensor in zip(both, (one, two), strict=True)
            )
            differ = (left != right).any(axis=0) & _both_defined(both, one, two)
            if differ.any():
                element = np.unravel_index(int(differ.argmax()), differ.shape)
                return position, tuple(int(part) for part in element)
        return None

    def _explained(self, place: tuple[int, tuple[int, ...]], numbers: Fields, found: Comparison) -> Finding:
        """What to conclude from different residues: that the kernels differ, or that the method is too strict."""
        position, element = place
        seed, roundings = numbers.seed, numbers.roundings
        both = self._run(lambda: Fields(seed, roundings), self._random_residues, watch=True)
        slices = []
        shown = []
        name, *tensors = _outputs(both)[position]
        for execution, tensor in zip(both, tensors, strict=True):
            slices.append(slice_of(execution.run, tensor, element))
            residues = contents(execution.run, tensor)[0]
            shown.append(
                _residue(residues.reshape(residues.shape[0], -1)[:, np.ravel_multi_index(element, residues.shape[1:])])
            )
        difference = Difference(name, element, shown[0], shown[1], slices[0], slices[1])
        functions = sorted(slices[0].functions | slices[1].functions)
        coordinates = ", ".join(map(str, element))
        if not functions:
            return Finding(Answer.NO, f"{name}[{coordinates}]", difference)
        self._look_again(found)
        if found.floats is not None and found.floats.answer is Answer.NO:
            text = (
                f"{name}[{coordinates}], with {', '.join(functions)} as arbitrary functions; floating point confirms it"
            )
            return Finding(Answer.NO, text, difference)
        text = (
            f"{name}[{coordinates}] differs with {', '.join(functions)} taken as arbitrary functions; "
            "an identity of these may make it equal"
        )
        return Finding(Answer.UNKNOWN, text, difference)

    def _look_again(self, found: Comparison) -> None:
        """Compare in floating point on more inputs, as long as no difference was found."""
        until = time.process_time() + _INPUT_SECONDS
        seed = self._seed
        for number in range(1, _INPUTS):
            if found.floats is None or found.floats.answer is Answer.NO or time.process_time() > until:
                break
            self._seed = seed + number
            both = self._run(Floats, self._random_floats)
            pairs = self._paired(both)
            assert not isinstance(pairs, Finding)
            once = self._floating(both, pairs, _of_interface(both, pairs))
            text = once.text if once.answer is Answer.NO else f"no greater difference on {number + 1} random inputs"
            found.floats = Finding(once.answer, text)
        self._seed = seed

    def _error_bits(self, numbers: Fields) -> int:
        """-log2 of the probability that different values agree by chance, rounded down."""
        both = self._run(Degrees, self._variables)
        degrees = both[0].run.numbers
        assert isinstance(degrees, Degrees)
        outputs = max(
            float(contents(execution.run, tensor)[0][:2].sum(axis=0).max())
            for _, *tensors in _outputs(both)
            for execution, tensor in zip(both, tensors, strict=True)
        )
        return error_bits(
            output_degree=2 * outputs,
            argument_degree=2 * degrees.of_arguments,
            applications=numbers.applications,
            maxima=numbers.functions.get("max", 0),
        )


class _OtherResults(Exception):
    """What the kernels return differs in something else than the elements of tensors."""


def _outputs(both: tuple[Execution, Execution]) -> list[tuple[str, Tensor, Tensor]]:
    """What the kernels returned at the same place, then what either of them did to its arguments.

    An argument that only one of them wrote is an output of both: the other one leaves it as it was. Raises
    `_OtherResults`, and `UnsupportedConstruct` where results cannot be looked into.
    """
    first, second = (_by_path(execution.result) for execution in both)
    for mine, other, which in ((first, second, "first"), (second, first, "second")):
        for path, leaf in mine.items():
            if path not in other:
                raise _OtherResults(f"only the {which} kernel returns {leaf.place}")
    for path, leaf in first.items():
        _compare_but_for_elements(leaf, second[path].value)
    tensors = [leaf for leaf in first.values() if isinstance(leaf.value, Tensor)]
    found = [
        (name, one, second[leaf.path].value)
        for (name, one), leaf in zip(uniquely_named("result", tensors), tensors, strict=True)
    ]
    others = both[0].written ^ both[1].written
    for execution in both:
        outputs = [*(leaf.value for leaf in _by_path(execution.result).values()), *dict(execution.changed()).values()]
        others |= {
            position
            for position, tensor in enumerate(execution.arguments.values())
            if any(tensor is output for output in outputs)
        }
    arguments = zip(both[0].changed(others), both[1].changed(others), strict=True)
    return found + [(name, one, two) for (name, one), (_, two) in arguments]


def _by_path(result: Any) -> dict[Path, Leaf]:
    """What a kernel returned, by the way to it."""
    found: dict[Path, Leaf] = {}
    for leaf in leaves(result):
        if found.setdefault(leaf.path, leaf) is not leaf:
            raise ambiguous(leaf)
    return found


def _compare_but_for_elements(leaf: Leaf, other: Any) -> None:
    """Raise unless both are tensors, or the same plain value."""
    one = leaf.value
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        if not (isinstance(one, Tensor) and isinstance(other, Tensor)):
            raise _OtherResults(f"{leaf.place} is a tensor in one of the kernels only")
    elif isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.dtype != other.dtype or not np.array_equal(one, other):
            raise _OtherResults(f"{leaf.place} is another array")
    elif type(one) is type(other) and (is_plain(one) or isinstance(one, Above | DType)):
        if one != other and not (one != one and other != other):
            raise _OtherResults(f"{leaf.place} is {one!r} and {other!r}")
    elif is_plain(one) and is_plain(other) and not isinstance(one, enum.Enum):
        raise _OtherResults(f"{leaf.place} is {one!r} and {other!r}")
    elif not (isinstance(one, _EMPTY) and isinstance(other, _EMPTY)):
        raise unsupported(f"{leaf.place} in what the kernels return: comparing objects of type {type(one).__name__}")


def error_bits(*, output_degree: float, argument_degree: float, applications: int, maxima: int) -> int:
    """-log2, rounded down, of the sum of the probabilities that docs/equivalence.md derives.

    An element of the outputs agrees by chance (`output_degree`: the degree of the difference); two of `applications`
    values of functions have arguments that agree by chance; two of `maxima` are made of words of equal sum.
    """
    lane = 2.0**LANE_BITS
    total = min(1.0, output_degree / lane) ** LANES
    total += applications * (applications - 1) / 2 * min(1.0, argument_degree / lane) ** LANES
    total += maxima * (maxima - 1) / 2 * 2.0**-_MAXIMUM_BITS
    return 0 if total >= 1 else int(-math.log2(max(total, 2.0**-1000)))


def _defined_floats(execution: Execution, tensor: Tensor, defined: Array) -> Array:
    """The elements of a tensor as float64, 0 where they are not defined."""
    found = contents(execution.run, tensor)[0][0]
    return np.where(defined, found, found.dtype.type(0)).astype(np.float64)


def _both_defined(both: tuple[Execution, Execution], one: Tensor, two: Tensor) -> Array:
    """Where both kernels define an output."""
    return (_marks(both[0], one) == 0) & (_marks(both[1], two) == 0)


def _marks(execution: Execution, tensor: Tensor) -> Array:
    marks = contents(execution.run, tensor)[1]
    return np.zeros(tuple(map(int, tensor.shape)), dtype=np.uint32) if marks is None else marks


def _fields(both: tuple[Execution, Execution]) -> Fields:
    numbers = both[0].run.numbers
    assert isinstance(numbers, Fields)
    return numbers


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _of_interface(both: tuple[Execution, Execution], pairs: Sequence[tuple[str, Tensor, Tensor]]) -> set[DType]:
    """The dtypes of arguments and results: what both kernels have to round to, whatever they do in between."""
    arguments = {tensor.dtype for execution in both for tensor in execution.arguments.values()}
    return arguments | {tensor.dtype for _, one, two in pairs for tensor in (one, two)}


def _broken_text(broken: Sequence[BrokenContract]) -> str:
    """The first contract that was broken, with the numbers and the place; empty if none was."""
    if not broken:
        return ""
    first = broken[0]
    shown = ", ".join(f"{name} = {value}" for name, value in first.quantities)
    where = f" at {first.site}" if first.site is not None else ""
    return f"{first.contract.id}: {first.contract.statement} {shown}".strip() + where


def _residue(lanes: Array) -> str:
    return "(" + ", ".join(str(int(lane)) for lane in lanes) + ")"


def _functions(numbers: Fields) -> str:
    rounded = {f"to {dtype}" for dtype in numbers.rounded_to}
    names = sorted(set(numbers.functions) - rounded)
    return f", for any functions {', '.join(names)}" if names else ""


def _limit_text(limit: UnsupportedConstruct) -> str:
    where = f" at {limit.site}" if limit.site is not None else ""
    return f"{limit.construct}{where}"
