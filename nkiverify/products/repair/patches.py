"""Questions about repairs, and their answers: patches of a kernel's file."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from nkiverify.foundation.dataclass import dataclass

#: The kind of a patch that adds asserts.
ASSERT = "assert"

#: Unchanged lines around a change, as far as a diff shows them.
_AROUND = 2


@dataclass(frozen=True, slots=True)
class Replacement:
    """The text that takes the place of the characters from `start` to `end` of a file."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class RepairQuestion:
    """The question: a kernel as `PATH::NAME`, what it is given, and the function or kernel that says what it is to
    compute, as `PATH::NAME`, if there is one. Edits are searched for in this many `seconds`."""

    reference: str
    base: Path
    arguments: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    grid: str | None = None
    hardware: str | None = None
    against: str = ""
    seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class Patch:
    """An edit that mends something. `said` is what is said of the kernel with it, `equal` what it is found to compute.
    `whole`: nothing is left that fails. `caution`: what an assert leaves, where that is less than was meant. `left`:
    conditions that the kernel does not check with it, nor without it, where it does not check more than these as it
    is."""

    kind: str
    line: int
    replacements: tuple[Replacement, ...]
    said: str
    whole: bool
    equal: str = ""
    caution: str = ""
    left: tuple[str, ...] = ()

    def text(self, before: str) -> str:
        """The text of the file with the patch; `before` is that without."""
        return with_replacements(before, self.replacements)

    def diff(self, path: str, before: str) -> str:
        """The patch of the file at `path`, whose text is `before`."""
        old, new = (each.splitlines(keepends=True) for each in (before, self.text(before)))
        return "".join(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", n=_AROUND))


@dataclass(frozen=True, slots=True)
class RepairAnswer:
    """The answer: what is `wrong`, if anything is, and the patches, the best first. `notes` are shown and never
    applied: edits that compute something else than the kernel where it passes, and asserts that leave less than was
    meant where there is such an edit. `tried` edits were run, `alive` of them pass on shapes for which the kernel
    fails. `late`: time was over before all had been tried."""

    reference: str
    said: str
    wrong: bool
    patches: tuple[Patch, ...] = ()
    notes: tuple[Patch, ...] = ()
    tried: int = 0
    alive: int = 0
    seconds: float = 0.0
    late: bool = False

    @property
    def is_asserted(self) -> bool:
        """True if nothing is better than the asserts that the kernel lacks."""
        return bool(self.patches) and self.patches[0].kind == ASSERT and not self.patches[0].caution


def with_replacements(text: str, replacements: Sequence[Replacement]) -> str:
    """A text with all replacements, none of which overlap."""
    for one in sorted(replacements, key=lambda one: one.start, reverse=True):
        text = text[: one.start] + one.text + text[one.end :]
    return text
