"""What the walk over sets has shown of a program, and what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass, field

from nkiverify.foundation.source import Site


@dataclass(frozen=True, slots=True)
class Open:
    """A claim that could not be shown, with the reason."""

    contract: str
    site: Site | None
    reason: str


@dataclass(slots=True)
class Proof:
    """What the walk has shown: how many claims of each contract, and which are open."""

    shown: dict[str, int] = field(default_factory=dict)
    open: list[Open] = field(default_factory=list)
    #: Whether an operation may read an unwritten element, be it that none reaches an output.
    reads_unwritten: bool = False
    #: In how many walks it is only to be found out what a loop body writes: nothing is claimed then.
    tentative: int = 0

    @property
    def claims(self) -> int:
        """All claims."""
        return sum(self.shown.values()) + len(self.open)

    def count(self, contract: str) -> None:
        """A claim has been shown."""
        self.shown[contract] = self.shown.get(contract, 0) + 1

    def claim(self, contract: str, site: Site | None, shown: bool, reason: str) -> None:
        """A claim, which has been `shown` or is open for a reason."""
        if self.tentative:
            return
        if shown:
            self.count(contract)
        else:
            self.open.append(Open(contract, site, reason))
