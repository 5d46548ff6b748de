"""The local names of a loop statement, as its rewritten text gives them."""

from __future__ import annotations

from dataclasses import replace

from nkiverify.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LoopNames:
    """The local names of a loop statement: those that it binds, those that its body binds before it reads them, those
    that are read after it, and those to which it appends."""

    bound: tuple[str, ...] = ()
    temporaries: tuple[str, ...] = ()
    live: tuple[str, ...] = ()
    grown: tuple[str, ...] = ()
    #: Whether the body may be run once for all iterations.
    summarise: bool = False
    #: Whether the function is a generator.
    drawn: bool = False

    def with_prefixed(self, prefix: str, others: LoopNames) -> LoopNames:
        """These names with those of another statement, which have a prefix."""

        def joined(own: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
            return (*own, *(prefix + name for name in more))

        return replace(
            self,
            bound=joined(self.bound, others.bound),
            temporaries=joined(self.temporaries, others.temporaries),
            live=joined(self.live, others.live),
            grown=joined(self.grown, others.grown),
        )
