"""Numbers that are a positive constant times another: the greatest of such is the constant times the greatest.

max(c x, c y) = c max(x, y) holds for every positive c. Which constants are tried is a guess: those that numbers were
multiplied by. So nothing here can make different numbers equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.recognised import Residues
from nkiverify.foundation.budget import NumbersBudget


class Scalings:
    """Positive constants, and the numbers that were multiplied by each; `words` tells numbers apart."""

    def __init__(self, words: Callable[[Array], Array]) -> None:
        self._words = words
        #: Residues of constants and of their reciprocals, by their words.
        self._constants: dict[int, tuple[Array, Array]] = {}
        self._products: dict[int, Residues] = {}
        #: Maxima that were made of their elements as they are.
        self._made = Residues()
        self._depth = 0

    def constant(self, lanes: Array, inverse: Array) -> None:
        """There is a positive constant, and its reciprocal."""
        for one, other in ((lanes, inverse), (inverse, lanes)):
            self._constants.setdefault(int(self._words(one[:, None])[0]), (one, other))

    def product(self, factor: Array, product: Array) -> None:
        """Note a product if its factor is one of the constants everywhere."""
        if not self._constants or not factor.size:
            return
        flat = factor.reshape(factor.shape[0], -1)
        word = int(self._words(flat[:, :1])[0])
        if word in self._constants and (flat == flat[:, :1]).all():
            self._products.setdefault(word, Residues()).add(self._words(product))

    def taken_out(
        self, elements: Array, neutral: Array, joined: Array, axis: int
    ) -> Iterator[tuple[Array, Array, Array]]:
        """Where all elements along an axis of (lanes, …) are multiples, as a mask over `joined`, their maximum as it
        is: the mask, the constant and its reciprocal. What is not multiples of anything is remembered."""
        left = ~self._made.has(self._words(joined))
        if self._depth < NumbersBudget.CONSTANTS_OF_A_MAXIMUM and left.any():
            words = self._words(elements), self._words(-elements)
            for word, products in self._products.items():
                multiple = products.has(words[0]) | products.has(words[1]) | neutral
                mask = left & multiple.all(axis=axis, keepdims=True) & ~neutral.all(axis=axis, keepdims=True)
                if mask.any():
                    left = left & ~mask
                    self._depth += 1
                    yield mask, *self._constants[word]
                    self._depth -= 1
        self._made.add(self._words(joined)[left])

    def multiple(self, constant: Array, numbers: Array) -> None:
        """Numbers are this constant times others."""
        self._products[int(self._words(constant[:, None])[0])].add(self._words(numbers))


def by_lanes(constant: Array, rank: int) -> Array:
    """Residues of a constant that broadcast to arrays of a rank."""
    return np.asarray(constant).reshape(-1, *(1,) * (rank - 1))
