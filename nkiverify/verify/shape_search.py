"""The search for a shape: candidates in an order, an oracle that is asked about each, and a budget.

    search = Search(oracle, seconds, work)
    search.through(candidates.by_size(…))          shapes in an order, until the oracle has seen enough
    search.along(chain)                            one after the other, for those who look in between
    candidates.parts(reached, search.asks, most)   every shape up to ever larger bounds
    search.shrink(between, passing, failing, fails)  a smaller shape that fails, between two

The orders are those of `Candidates` (`nkiverify.verify.domain_parts`). The searches for faults of phases 1 to 5 differ
in their oracles; derivation alone has an order that depends on the answers (`nkiverify.products.derive.sampling`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf
from typing import TypeAlias

from nkiverify.foundation.budget import SearchingBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class OracleAnswer:
    """An oracle's answer about a shape: the work that it took, whether there is reason to ask about others, and whether
    nothing more is to be known of this one."""

    work: float = 0
    continues: bool = True
    final: bool = True


#: Answers about a shape, in this many seconds.
Oracle: TypeAlias = Callable[[dict[str, int], float], OracleAnswer]


class Search:
    """Asks an oracle about shapes, about each once, in `seconds` and with so much `work`, in the oracle's own unit."""

    def __init__(self, oracle: Oracle, seconds: float, work: float = inf) -> None:
        self._oracle = oracle
        self._end = now() + seconds
        self._left = work
        self._answered: set[tuple[int, ...]] = set()
        #: Whether time was over when a shape was to be asked about the last time, or before there was an answer.
        self.late = False

    @property
    def seconds(self) -> float:
        """The seconds that are left."""
        return max(0.0, self._end - now())

    @property
    def left(self) -> float:
        """The work that is left."""
        return max(0.0, self._left)

    def allow(self, work: float) -> None:
        """Let what comes next take so much work, whatever has been taken before."""
        self._left = work

    def asks(self, values: dict[str, int]) -> bool:
        """Ask about a shape, unless its answer is known; whether there is reason, and budget, to ask about others."""
        if self._has_answered(values):
            return True
        seconds = self.seconds
        self.late = seconds <= 0
        if self.late or self._left <= 0:
            return False
        answer = self._oracle(values, seconds)
        self.late = not answer.final and self.seconds <= 0
        self._left -= answer.work
        if answer.final:
            self._answered.add(tuple(values.values()))
        return answer.continues

    def through(self, shapes: Iterable[dict[str, int]]) -> bool:
        """Ask about shapes in their order, as long as there is reason to; whether that was so to the end."""
        return all(map(self.asks, shapes))

    def along(self, shapes: Iterable[dict[str, int]]) -> Iterator[dict[str, int]]:
        """Shapes in their order, each once it was asked about and there is reason to go further."""
        for values in shapes:
            if not self.asks(values):
                return
            yield values

    def shrink(
        self,
        between: Callable[[Mapping[str, int], Mapping[str, int]], dict[str, int] | None],
        passing: dict[str, int],
        failing: dict[str, int],
        fails: Callable[[dict[str, int]], bool | None],
    ) -> None:
        """Look for smaller shapes that fail, `between` one that passes and one that fails; `fails` asks about one, and
        gives None where that ends the search."""
        for _ in range(SearchingBudget.HALVINGS):
            middle = between(passing, failing)
            if middle is None or self._has_answered(middle):
                return
            found = fails(middle)
            if found is None:
                return
            passing, failing = (passing, middle) if found else (middle, failing)

    def _has_answered(self, values: dict[str, int]) -> bool:
        return tuple(values.values()) in self._answered
