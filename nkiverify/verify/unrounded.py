"""Both kernels in float64, nothing rounded to other dtypes: a small difference that float32 does not show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.pieces import Pieces
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.verify.comparison import Executions
from nkiverify.verify.paired_results import Output
from nkiverify.verify.paired_runs import Illegal, PairedRuns

#: By how much of the greatest magnitude results have to differ: constants may have been rounded to float32.
_APART = 2e-6
#: The magnitudes of floats without a range: beside smaller ones, what is added to them counts for more.
_MAGNITUDES = (1.0, 2.0**-6)


def differ_unrounded(
    runs: PairedRuns, outputs: Callable[[Executions], Sequence[Output]], fields: Callable[[], Fields]
) -> bool:
    """True if a result of both kernels is surely another number; what cannot be computed so is not."""
    return any(_differ(runs, outputs, fields, magnitude) for magnitude in _MAGNITUDES)


def _differ(
    runs: PairedRuns,
    outputs: Callable[[Executions], Sequence[Output]],
    fields: Callable[[], Fields],
    magnitude: float,
) -> bool:
    try:
        both = runs.run(lambda: Pieces(fields()), partial(runs.random_pieces, magnitude))
    except (Illegal, UnsupportedConstruct):
        return False
    lanes = both[0].run.numbers.lanes
    for pair in outputs(both):
        left, right = (part.reshape(lanes, -1)[-1] for part in pair.elements(both))
        compared = pair.defined(both).ravel() & np.isfinite(left) & np.isfinite(right)
        one, other = left[compared], right[compared]
        size = max(float(np.abs(part).max(initial=0.0)) for part in (one, other))
        if (np.abs(one - other) > _APART * size).any():
            return True
    return False
