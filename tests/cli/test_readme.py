"""docs/targets.md lists the targets there are; README.md fits two screens."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation.resources import root


def test_the_table_of_targets_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, "-m", "lab.targets_page", "--check"], cwd=root(), check=False)
    assert done.returncode == 0, "run `make pages`"


def test_the_first_page_is_short() -> None:
    assert (root() / "README.md").stat().st_size < 8192


def test_the_first_example_prints_what_the_page_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (root() / "README.md").read_text(encoding="utf-8")
    command, _, expected = page.partition("    $ nkiverify ")[2].partition("\n\n")[0].partition("\n")
    monkeypatch.chdir(root())
    monkeypatch.setenv("COLUMNS", "100")
    main(command.split())
    assert _without_times(capsys.readouterr().out) == _without_times(expected)


def _without_times(text: str) -> list[str]:
    return re.sub(r"[\d.]+\s+s\b", "0 s", text).split()
