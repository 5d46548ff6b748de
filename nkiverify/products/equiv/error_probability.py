"""The probability that different values agree by chance (docs/equivalence.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: Bits of the words that arguments of functions are distinguished by.
WORD_BITS = 64


def error_bits(
    *,
    output_degree: float,
    argument_degree: float,
    applications: int,
    maxima: int,
    lane_bits: Sequence[int],
    maximum_bits: int,
) -> int:
    """-log2, rounded down, of the sum of the probabilities that docs/equivalence.md derives.

    An element of the outputs agrees by chance (`output_degree`: the degree of the difference); two of `applications`
    values of functions have arguments that agree by chance; two of `maxima` are made of words of equal sum. What is
    compared is at least 2^n for each n of `lane_bits`, and `maximum_bits` for maxima.
    """

    def agree(degree: float) -> float:
        return math.prod(min(1.0, degree / 2.0**bits) for bits in lane_bits)

    total = agree(output_degree)
    total += applications * (applications - 1) / 2 * (agree(argument_degree) + 2.0**-WORD_BITS)
    total += maxima * (maxima - 1) / 2 * 2.0**-maximum_bits
    return 0 if total >= 1 else int(-math.log2(max(total, 2.0**-1000)))
