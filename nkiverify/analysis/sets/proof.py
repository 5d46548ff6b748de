"""The result of the walk over sets of a program: its claims, each shown or open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Item


@dataclass(frozen=True, slots=True)
class Stated:
    """A claim about the elements that an item of the program touches; about its end, where there is no item.

    `reason` says why it is open, and is empty where it is shown.
    """

    contract: str
    site: Site | None
    reason: str = ""
    item: Item | None = None


@dataclass(slots=True)
class Proof:
    """All claims of the walk, in its order."""

    stated: list[Stated] = field(default_factory=list)
    #: The operations that may read an unwritten element, be it that none reaches an output.
    read_unwritten: set[Item] = field(default_factory=set)
    #: In how many walks it is only to be found out what a loop body writes: nothing is claimed then.
    tentative: int = 0
    #: The item at which the walk is.
    at: Item | None = None

    @property
    def open(self) -> list[Stated]:
        """The claims that could not be shown."""
        return [one for one in self.stated if one.reason]

    @property
    def shown(self) -> dict[str, int]:
        """How many claims of each contract have been shown."""
        return dict(Counter(one.contract for one in self.stated if not one.reason))

    @property
    def claims(self) -> int:
        """How many claims there are."""
        return len(self.stated)

    def claim(self, contract: str, site: Site | None, shown: bool, reason: str) -> None:
        """State a claim where the walk is, which has been `shown` or is open for a `reason`."""
        if not self.tentative:
            self.stated.append(Stated(contract, site, "" if shown else reason, self.at))


def joined(proofs: Sequence[Proof]) -> Proof:
    """The proof of what each of these says on a part of the paths: a claim is open if it is open on one."""
    first, *others = proofs
    if not others:
        return first
    found: dict[tuple[str, Site | None, Item | None], Stated] = {}
    for one in (one for proof in proofs for one in proof.stated):
        key = (one.contract, one.site, one.item)
        if key not in found or (one.reason and not found[key].reason):
            found[key] = one
    return Proof(list(found.values()), set().union(*(proof.read_unwritten for proof in proofs)))
