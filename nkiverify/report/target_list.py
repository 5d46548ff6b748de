"""The targets of the manifest as a table: for `--list`, and for docs/targets.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nkiverify.report.columns import columns
from nkiverify.results import wording
from nkiverify.verify.options import DEFAULT_PHASES, PHASES

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target


def plain(targets: Sequence[Target]) -> str:
    """For the terminal: name, kind, and the verdict expected in each phase."""
    phases = _phases(targets)
    rows = [(target.name, target.kind.value, *_expectations(target, phases)) for target in targets]
    header = ("target", "kind", *(f"phase {number}" for number in phases))
    return columns(header, rows, ["left"] * len(header))


def markdown(targets: Sequence[Target]) -> str:
    """For docs/targets.md: the kernel and the domain as well. Not padded: a longer name changes no other line."""
    phases = _phases(targets)
    header = ("target", "kernel", "kind", *(f"phase {number}" for number in phases), "domain")
    rows = [
        (
            f"`{target.name}`",
            f"`{target.kernel}`",
            target.kind.value,
            *_expectations(target, phases),
            _first_paragraph(target),
        )
        for target in targets
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *rows))


def _first_paragraph(target: Target) -> str:
    """The beginning of the description, in one line that a table can hold."""
    return " ".join(target.description.split("\n\n")[0].split()).replace("|", "\\|")


def _phases(targets: Sequence[Target]) -> list[int]:
    """The phases that are run by default, and the others that a target expects a verdict in."""
    expected = {number for target in targets for number in target.expect}
    return [number for number in PHASES if number in DEFAULT_PHASES or number in expected]


def _expectations(target: Target, phases: Sequence[int]) -> Iterator[str]:
    return (wording.expectation(target.expect.get(number)) for number in phases)
