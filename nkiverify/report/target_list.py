"""The targets of the manifest as a table: for `--list`, and for docs/targets.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nkiverify.report.columns import columns
from nkiverify.results import wording
from nkiverify.verify.options import PHASES

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target


def plain(targets: Sequence[Target]) -> str:
    """For the terminal: name, kind, and the verdict expected in each phase."""
    rows = [(target.name, target.kind.value, *_expectations(target)) for target in targets]
    header = ("target", "kind", *_phases())
    return columns(header, rows, ["left"] * len(header))


def markdown(targets: Sequence[Target]) -> str:
    """For docs/targets.md: the kernel and the domain as well. Not padded: a longer name changes no other line."""
    header = ("target", "kernel", "kind", *_phases(), "domain")
    rows = [
        (f"`{target.name}`", f"`{target.kernel}`", target.kind.value, *_expectations(target), _first_paragraph(target))
        for target in targets
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *rows))


def _first_paragraph(target: Target) -> str:
    """The beginning of the description, in one line that a table can hold."""
    return " ".join(target.description.split("\n\n")[0].split()).replace("|", "\\|")


def _phases() -> Iterator[str]:
    return (f"phase {number}" for number in PHASES)


def _expectations(target: Target) -> Iterator[str]:
    return (wording.expectation(target.expect.get(number)) for number in PHASES)
