"""The order of edits that mend a kernel, and when a kernel is mended."""

from __future__ import annotations

from collections.abc import Iterator

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Verdict
from nkiverify.products.derive.domain_answers import DomainAnswer
from nkiverify.products.repair.edits import Edit

#: Warnings of what is computed for nothing.
_WASTED = frozenset(("df.unused", "df.overwritten"))


@dataclass(frozen=True, slots=True)
class PassingEdit:
    """An edit that passes on shapes for which the kernel fails: on how many."""

    edit: Edit
    text: str
    cost: float
    passes: int
    #: What it was found to compute, and whether that is another thing than is wanted.
    equal: str = ""
    other: bool = False


@dataclass(frozen=True, slots=True)
class EditWithDomain:
    """The same, with the domain on which the kernel is legal with it."""

    alive: PassingEdit
    found: DomainAnswer

    @property
    def order(self) -> tuple[bool, bool, int, float]:
        """The best first."""
        return not is_whole(self.found), self.wastes, -self.alive.passes, self.alive.cost

    @property
    def wastes(self) -> bool:
        """True if something that is computed is used by nothing: an edit that leaves it out is hardly what is meant."""
        return any(one.rule in _WASTED for run in self.found.runs for one in run.warnings)


def is_whole(found: DomainAnswer) -> bool:
    """True if all is proved, and nothing fails that the kernel accepts, but for what the hardware limits."""
    derived = found.derived
    if derived is None:
        return bool(found.runs) and all(run.verdict is Verdict.SUCCESSFUL for run in found.runs)
    return derived.proved and not any(_suspicious(found))


def is_wrong(found: DomainAnswer) -> bool:
    """True if something fails: for all shapes, or for some that the kernel accepts."""
    return (
        any(run.violations for run in found.runs)
        or any(_suspicious(found))
        or bool(found.derived is not None and found.derived.bugs)
    )


def _suspicious(found: DomainAnswer) -> Iterator[bool]:
    """For each condition of the domain: true if the kernel does not check it, and it is no limit of the hardware."""
    derived = found.derived
    if derived is not None:
        yield bool(derived.bugs)
        yield from (one.is_unchecked for one in derived.preconditions)


def unchecked(found: DomainAnswer) -> tuple[str, ...]:
    """The conditions that the kernel does not check, where they are all that is wrong with it: all else is proved."""
    derived = found.derived
    if derived is None or not derived.proved or derived.bugs:
        return ()
    return tuple(one.text for one in derived.preconditions if one.is_unchecked)
