"""docs/upstream-bugs.md tells what `verify.py --tag upstream-bug` says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nkiverify.foundation.resources import root

ROW = re.compile(
    r"^\| `(?P<target>\w+)` \| [^|]+ \| (?P<phase>\d) \| (?P<verdict>\w+) \| (?P<contracts>[^|]*)\|$", re.MULTILINE
)


def told() -> dict[tuple[str, int], tuple[str, set[str]]]:
    """Verdict and contracts of each target and phase, as the page has them."""
    page = (root() / "docs" / "upstream-bugs.md").read_text(encoding="utf-8")
    return {
        (row["target"], int(row["phase"])): (row["verdict"], set(re.findall(r"`([^`]+)`", row["contracts"])))
        for row in ROW.finditer(page)
    }


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The runs of the command that the page gives."""
    results: Path = tmp_path_factory.mktemp("results") / "results.json"
    command = [sys.executable, "verify.py", "--tag", "upstream-bug", "--engine", "embedded", "--json", str(results)]
    done = subprocess.run(command, cwd=root(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: list[dict[str, Any]] = json.loads(results.read_text(encoding="utf-8"))["runs"]
    return found


def test_the_page_has_every_run_and_no_other(runs: list[dict[str, Any]]) -> None:
    assert {(run["target"], run["phase"]) for run in runs} == told().keys()


def test_the_page_has_the_verdicts(runs: list[dict[str, Any]]) -> None:
    page = told()
    for run in runs:
        verdict, contracts = page[run["target"], run["phase"]]
        assert (run["target"], run["verdict"], run["qualifier"]) == (run["target"], verdict, "")
        assert contracts <= {violation["contract"] for violation in run["violations"]}
        assert bool(contracts) == (verdict == "FAILED")
