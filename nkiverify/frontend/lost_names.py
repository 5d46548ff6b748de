"""Names of kernel code that have no value where it reads them."""

from __future__ import annotations

from dataclasses import dataclass

from nkiverify.foundation.source import Site
from nkiverify.symbolic.terms import Term


@dataclass(frozen=True, slots=True)
class LostName:
    """A local name that has no value after a loop, as it is another one after each iteration."""

    name: str
    site: Site
    trips: Term

    @property
    def iterations(self) -> int | None:
        """How often the loop runs, if that is known."""
        return self.trips.constant

    def __str__(self) -> str:
        return f"`{self.name}`, bound in the loop at line {self.site.line},"
