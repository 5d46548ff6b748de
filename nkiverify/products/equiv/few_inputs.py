"""Inputs on which two kernels differ in one element, with few numbers that are not 0: as few as some work shows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nkiverify.analysis.values.asked_kernel import AskedKernel
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.numbers import Floats
from nkiverify.foundation.budget import ComparingBudget, ReportingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.model.meaning import Numbers
from nkiverify.model.tensor import Tensor
from nkiverify.products.equiv.paired_results import Output
from nkiverify.products.equiv.paired_runs import Illegal, PairedRuns, times_within


@dataclass(frozen=True, slots=True)
class ElementExample:
    """The numbers of the first and the second kernel in an element, given some inputs; all others are 0."""

    first: float
    second: float
    inputs: tuple[tuple[str, tuple[int, ...], float], ...]

    def __str__(self) -> str:
        if len(self.inputs) > ReportingBudget.INPUTS_LISTED:
            given = f"{len(self.inputs)} random inputs"
        else:
            given = ", ".join(
                f"{name}[{', '.join(map(str, place))}] = {value:.6g}" for name, place, value in self.inputs
            )
        given = f"{given}, and 0 elsewhere" if given else "all floats 0"
        return f"{self.first:.9g} and {self.second:.9g} with {given}"


class _Search:
    def __init__(
        self,
        runs: PairedRuns,
        outputs: Callable[[tuple[AskedKernel, AskedKernel]], list[Output]],
        where: tuple[int, tuple[int, ...]],
        tolerance: float,
    ) -> None:
        self._runs = runs
        self._outputs = outputs
        self._position, self._element = where
        self._tolerance = tolerance
        #: How often the kernels may be run: a limit on time would have the example depend on the machine.
        self._left = ComparingBudget.INPUTS
        #: The elements of the float arguments, by position.
        self._names: dict[int, str] = {}
        self._shapes: dict[int, tuple[int, ...]] = {}
        self._values: dict[int, Array] = {}

    def values(self, kept: Array | None) -> tuple[float, float] | None:
        """The numbers of both kernels in the element where only the `kept` inputs, counted through, are not 0; None
        where they do not differ there, or do not run."""
        self._left -= 1
        try:
            both = self._runs.run(Floats, lambda numbers: self._filling(numbers, kept))
            if kept is None:
                self._left = max(ComparingBudget.INPUTS, times_within(ComparingBudget.WORK_OF_FEW_INPUTS, both))
            output = self._outputs(both)[self._position]
            if not output.defined(both)[self._element]:
                return None
            one, two = (float(found[0][self._element]) for found in output.elements(both))
        except (Illegal, UnsupportedConstruct, UsageError):
            return None
        if np.isnan(one) and np.isnan(two):
            return None
        apart = np.isnan(one) or np.isnan(two) or abs(one - two) > self._tolerance * max(abs(one), abs(two))
        return (one, two) if apart else None

    def _filling(self, numbers: Numbers, kept: Array | None) -> Callable[[str, Tensor], Array]:
        """As it is for the floating-point answer, but for what is 0; a kernel's arguments are counted again."""
        fill = self._runs.random_floats(numbers)
        position = 0
        start = 0

        def filled(name: str, tensor: Tensor) -> Array:
            nonlocal position, start
            elements = fill(name, tensor)
            position += 1
            if tensor.dtype.is_integer or tensor.dtype.is_packed or self._runs.has_contents(position - 1):
                return elements
            if kept is None:
                self._names[position], self._shapes[position] = name, tuple(map(int, tensor.shape))
                self._values[position] = numbers.exact(elements, tensor.dtype)[0].astype(np.float64).ravel()
            size = elements[0].size
            if kept is not None:
                zero = np.ones(size, dtype=bool)
                zero[kept[(kept >= start) & (kept < start + size)] - start] = False
                elements = np.where(zero.reshape(elements.shape), elements.dtype.type(0), elements)
            start += size
            return elements

        return filled

    def search(self) -> ElementExample | None:
        """The example with the fewest inputs that was found."""
        found = self.values(None)
        if found is None:
            return None
        kept = np.arange(sum(part.size for part in self._values.values()))
        pieces = 2
        while kept.size > 1 and pieces <= kept.size and self._left > 0:
            for piece in np.array_split(kept, pieces):
                fewer = np.setdiff1d(kept, piece, assume_unique=True)
                once = self.values(fewer)
                if once is not None:
                    found, kept, pieces = once, fewer, max(2, pieces - 1)
                    break
                if self._left <= 0:
                    break
            else:
                if pieces == kept.size:
                    break
                pieces = min(2 * pieces, kept.size)
        return ElementExample(*found, tuple(self._inputs(kept)))

    def _inputs(self, kept: Array) -> list[tuple[str, tuple[int, ...], float]]:
        found = []
        start = 0
        for position, values in self._values.items():
            for place in kept[(kept >= start) & (kept < start + values.size)] - start:
                at = np.unravel_index(int(place), self._shapes[position])
                found.append((self._names[position], tuple(int(part) for part in at), float(values[place])))
            start += values.size
        return found


def example(
    runs: PairedRuns,
    outputs: Callable[[tuple[AskedKernel, AskedKernel]], list[Output]],
    where: tuple[int, tuple[int, ...]],
    tolerance: float,
) -> ElementExample | None:
    """An example of a difference at an element of the output at a position; None where floats show none there."""
    return _Search(runs, outputs, where, tolerance).search()
