"""Both kernels in float64, nothing rounded to other dtypes: a small difference that float32 does not show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from nkiverify.analysis.values.compared_pieces import Pieces
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.known_residues import INFINITE
from nkiverify.products.equiv.comparison import Executions
from nkiverify.products.equiv.paired_results import Output
from nkiverify.products.equiv.paired_runs import PairedRuns, if_they_end

#: By how much of the greatest magnitude results have to differ: constants may have been rounded to float32.
_APART = 2e-6
#: The magnitudes of floats without a range: besides smaller ones, what is added to them counts for more.
_MAGNITUDES = (1.0, 2.0**-6)


def differ_unrounded(
    runs: PairedRuns, outputs: Callable[[Executions], Sequence[Output]], fields: Callable[[], Fields]
) -> bool | None:
    """True if a result of both kernels is surely another number on these inputs; None where it cannot be computed."""
    found = [_differ(runs, outputs, fields, magnitude) for magnitude in _MAGNITUDES]
    return True if True in found else None if None in found else False


def _differ(
    runs: PairedRuns,
    outputs: Callable[[Executions], Sequence[Output]],
    fields: Callable[[], Fields],
    magnitude: float,
) -> bool | None:
    both = if_they_end(lambda: runs.run(lambda: Pieces(fields()), partial(runs.random_pieces, magnitude)))
    if both is None:
        return None
    lanes = both[0].elements.numbers.lanes
    for pair in outputs(both):
        left, right = (part.reshape(lanes, -1)[-1][pair.defined(both).ravel()] for part in pair.elements(both))
        if not (np.isfinite(left) & np.isfinite(right)).all():
            return None
        sizes = np.maximum(np.abs(left), np.abs(right))
        # What a mask fills with the least float is no measure of the rest.
        filled = sizes >= INFINITE
        size = float(sizes[~filled].max(initial=0.0))
        if (np.abs(left - right) > _APART * np.where(filled, sizes, size)).any():
            return True
    return False
