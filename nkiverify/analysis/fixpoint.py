"""The fixpoint of a loop body, or of rules about a whole program, over any abstract domain.

What holds when an iteration begins is assumed, the domain says what one iteration makes of it, and the assumption is
weakened until the iteration that assumes it gives nothing beyond it. The loops that the frontend summarises while the
kernel itself runs have a driver of their own (`frontend.summaries`): their body is Python, which cannot be called.
"""

from __future__ import annotations

from itertools import count, islice
from typing import Protocol, TypeVar

State = TypeVar("State")
#: What an iteration leaves; its type may say more than that of what is assumed.
Found = TypeVar("Found")


class AbstractDomain(Protocol[State, Found]):
    """States of an abstract domain, and the effect of one iteration on them."""

    def transfer(self, assumed: State) -> Found:
        """The state that one iteration leaves which began in `assumed`."""

    def widened(self, assumed: State, found: Found, number: int) -> tuple[State, bool] | None:
        """The join of both, weakened so that there is an end to it, and whether `found` was below what was assumed:
        then that holds. `number` counts the times. None where the domain sees no bound."""


def fixpoint(
    domain: AbstractDomain[State, Found], begin: State, *, passes: int | None = None, first: int = 0
) -> State | None:
    """A state that one iteration keeps, from `begin` on; None where none is found in this many `passes`.

    `first` is the number of the first pass: more than 0 where `begin` has been weakened before. A domain in which
    nothing is weakened for ever needs no limit.
    """
    assumed = begin
    for number in islice(count(first), passes):
        following = domain.widened(assumed, domain.transfer(assumed), number)
        if following is None:
            return None
        assumed, holds = following
        if holds:
            return assumed
    return None
