"""The outcomes of comparisons that kernels make, by place. Where there is one only, the other way was not run."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

import numpy as np

from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.budget import ReportingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site, kernel_sites

#: Places of the kernel, with the calls that led there, as helpers compare for many callers; the kind of comparison; and
#: the constant of the kernel's text that is compared with, if one is.
_Key = tuple[tuple[Site | None, tuple[Site, ...]], object, float | None]


@dataclass(slots=True)
class _Integers:
    """The outcomes of a comparison of integers, and check sums of what was compared."""

    outcomes: set[bool]
    compared: set[int]


class Outcomes:
    """The outcomes of all comparisons of some runs."""

    def __init__(self) -> None:
        self._floats: dict[_Key, set[float]] = {}
        self._integers: dict[_Key, _Integers] = {}

    def note(self, asked: object, outcomes: Iterable[float], constant: float | None = None) -> None:
        """Note some outcomes of what the kernel asks of floats where it is now."""
        self._floats.setdefault((kernel_sites(), asked, constant), set()).update(outcomes)

    def note_integers(self, asked: object, outcomes: Array, compared: Array) -> None:
        """Note the outcomes of what the kernel asks, where it is now, of integers that are known in the run."""
        if outcomes.size:
            found = self._integers.setdefault((kernel_sites(), asked, None), _Integers(set(), set()))
            found.outcomes.update(np.unique(outcomes).astype(bool).tolist())
            found.compared.add(crc32(np.ascontiguousarray(compared, dtype=np.float64).tobytes()))

    def one_way(self) -> list[Site | None]:
        """The places where floats had one outcome only."""
        return _places(key for key, outcomes in self._floats.items() if len(outcomes) < 2)

    def integers_one_way(self, redrawn: Outcomes | None = None) -> list[Site | None]:
        """The places where integers had one outcome only; with the outcomes of runs on other integers, those where what
        was compared depends on which are drawn."""
        return _places(
            key
            for key, found in self._integers.items()
            if len(found.outcomes) < 2
            and (redrawn is None or key not in redrawn._integers or redrawn._integers[key].compared != found.compared)
        )


def _places(keys: Iterable[_Key]) -> list[Site | None]:
    return list(dict.fromkeys(site for (site, _), _, _ in keys))


def one_way_text(places: list[Site | None]) -> str:
    """The places, as the reason why equality is not known."""
    where = ", ".join(
        str(site) if site is not None else "the reference" for site in places[: ReportingBudget.PLACES_OF_COMPARISONS]
    )
    return f"but what is compared at {where} went one way for all numbers drawn"
