"""The kernels of this folder: each says the domain that was derived by hand, and has a line with a bug beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "kernels"

_BUG = re.compile(r"^\s*# bug: (.*)$")


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel file: the `domain` that was derived by hand, the file with its bug, and the lines one of which is to be
    named for it."""

    name: str
    text: str
    domain: frozenset[str]
    limits: frozenset[str]
    #: Whether it is enough that phase 4 is proved within bounds.
    bounded: bool
    wrong: str
    lines: frozenset[int]

    @staticmethod
    def read(file: Path) -> Case:
        """The case in `file`.

        `# bug: TEXT` stands above the line that TEXT takes the place of; `# here` ends a line at which the bug may be
        reported instead, where it shows elsewhere.
        """
        lines = file.read_text(encoding="utf-8").splitlines()
        domain = next(line.removeprefix("# legal:").strip() for line in lines if line.startswith("# legal:"))
        bounds = next((line.removeprefix("# limits:") for line in lines if line.startswith("# limits:")), "")
        at = next(number for number, line in enumerate(lines) if _BUG.match(line))
        found = _BUG.match(lines[at])
        assert found is not None
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        wrong = [*lines]
        wrong[at + 1] = indent + found.group(1)
        here = {number + 1 for number, line in enumerate(lines) if line.endswith("# here")}
        conditions = frozenset() if domain == "all" else frozenset(part.strip() for part in domain.split(", "))
        right, buggy = ("\n".join(text) + "\n" for text in (lines, wrong))
        limits = frozenset(part.strip() for part in bounds.split(", ") if part)
        return Case(file.stem, right, conditions, limits, "# bounded" in lines, buggy, frozenset(here or {at + 2}))


def cases() -> list[Case]:
    """All of them."""
    return [Case.read(file) for file in sorted(FOLDER.glob("*.py"))]
