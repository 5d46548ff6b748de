"""Both sides of u . (J v) = (J^T u) . v on one draw of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nkiverify.analysis.values.compared_pieces import Pieces
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.dataclass import dataclass
from nkiverify.products.equiv.gradient_runs import Draw, Forward, GradientRuns

#: How far sums in float64 may be apart, relative to the sum of the magnitudes.
_NEAR = 1e-8


@dataclass(slots=True)
class Evaluation:
    """Both kernels on one draw: `numbers` and what they gave, (lanes, elements)."""

    numbers: Pieces
    draw: Draw
    forward: Forward
    incoming: dict[int, Array]
    directions: list[Array]
    gradients: list[Array]

    def backward(self, runs: GradientRuns, incoming: Mapping[int, Array]) -> list[Array]:
        """The gradients that the backward kernel gives for other incoming ones."""
        return runs.gradients(runs.run_backward(self.numbers, self.draw, self.forward.values, incoming))

    def linear(self, runs: GradientRuns) -> bool:
        """True if the gradients are linear in the incoming ones: g(u + w) = g(u) + g(w) for another random w."""
        fields, numbers = self.numbers.exactly, self.numbers
        assert isinstance(fields, Fields)
        others = runs.incoming(numbers, Draw(self.draw.seed + 1))
        both = {place: numbers.binary("add", part, others[place]) for place, part in self.incoming.items()}
        of_others, of_both = self.backward(runs, others), self.backward(runs, both)
        return all(
            fields.equal(numbers.binary("add", one, other)[:-1], total[:-1]).all()
            for one, other, total in zip(self.gradients, of_others, of_both, strict=True)
        )

    def sides(self, number: int) -> tuple[Array, Array, float]:
        """u . (J v) and (J^T u) . v for a gradient, and the greatest magnitude that float64 may have rounded."""
        return compared_sums(
            self.numbers,
            [(self.incoming[place], self.forward.derivatives[place][number]) for place in self.incoming],
            [(self.gradients[number], self.directions[number])],
        )


def dotted(numbers: Pieces, parts: Sequence[tuple[Array, Array]]) -> Array:
    """The sum of inner products of (lanes, elements): (lanes, 1)."""
    total = numbers.constant(0, 2)
    for one, other in parts:
        total = numbers.binary("add", total, numbers.reduce("add", numbers.binary("multiply", one, other)))
    return total


def compared_sums(
    numbers: Pieces, left: Sequence[tuple[Array, Array]], right: Sequence[tuple[Array, Array]]
) -> tuple[Array, Array, float]:
    """Two sums of inner products, and the sum of the magnitudes in them."""
    size = sum(float(np.abs(one[-1] * other[-1]).sum()) for one, other in (*left, *right))
    return dotted(numbers, left), dotted(numbers, right), size


def apart(left: Array, right: Array, size: float) -> bool:
    """True if the floats of two sums differ by more than rounding."""
    return not abs(float(left[-1, 0]) - float(right[-1, 0])) <= _NEAR * size
