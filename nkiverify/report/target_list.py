"""The targets of the manifest as a table: for `--list`, and for README.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tabulate import tabulate

from nkiverify.config import PHASES
from nkiverify.report import wording

if TYPE_CHECKING:
    from nkiverify.manifest import Target


def plain(targets: Sequence[Target]) -> str:
    """For the terminal: name, kind, and the verdict expected in each phase."""
    rows = [(target.name, target.kind.value, *_expectations(target)) for target in targets]
    return tabulate(rows, headers=("target", "kind", *_phases()), tablefmt="simple")


def markdown(targets: Sequence[Target]) -> str:
    """For README.md: the kernel and what the target is about as well."""
    rows = [
        (
            f"`{target.name}`",
            f"`{target.kernel}`",
            target.kind.value,
            *_expectations(target),
            target.description.strip().splitlines()[0] if target.description.strip() else "",
        )
        for target in targets
    ]
    return tabulate(rows, headers=("target", "kernel", "kind", *_phases(), "domain"), tablefmt="github")


def _phases() -> Iterator[str]:
    return (f"phase {number}" for number in PHASES)


def _expectations(target: Target) -> Iterator[str]:
    return (wording.expectation(target.expect.get(number)) for number in PHASES)
