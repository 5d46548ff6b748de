"""docs/verdicts.md has every verdict, phase and exit status there is, and the order in which statuses win."""

from __future__ import annotations

import re

from nkiverify.foundation.records import Verdict
from nkiverify.foundation.resources import root
from nkiverify.results.session import PRECEDENCE, ExitStatus
from nkiverify.verify.options import PHASES

PAGE = (root() / "docs" / "verdicts.md").read_text(encoding="utf-8")


def first_cells(section: str) -> list[str]:
    """The first cell of each row of the tables in a section."""
    text = f"\n{PAGE}".partition(f"\n{section}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| ([^|]+?) \|", text, flags=re.MULTILINE)


def test_every_verdict_is_explained() -> None:
    assert {cell.strip("`").partition(" ")[0] for cell in first_cells("# Verdicts") if cell.startswith("`")} == {
        verdict.value for verdict in Verdict
    }


def test_every_phase_is_explained() -> None:
    assert [f"{number} {name}" for number, name in PHASES.items()] == first_cells("## Phases")[2:]


def test_exit_statuses_are_in_the_order_in_which_they_win() -> None:
    statuses = [int(cell) for cell in first_cells("## Exit status") if cell.isdecimal()]
    assert statuses == [*PRECEDENCE, ExitStatus.AS_EXPECTED]
