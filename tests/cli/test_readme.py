"""docs/targets.md lists the targets there are; README.md fits two screens."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from nkiverify.cli.main import COMMANDS, main
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
    # Before anything else is told: how to have it, and the one command.
    assert (
        page.index(f"$ nkiverify {command}")
        < page.index("pip install .")
        < page.index("nkiverify check kernel.py")
        < page.index("\n## ")
    )


def test_every_other_command_of_the_page_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    page = (root() / "README.md").read_text(encoding="utf-8")
    named = {found for found in re.findall(r"`nkiverify ([^`]+)`", page) if found != "--help"}
    assert {"init", "run", "replay", "show", "simulate", "equiv", "sweep"} <= named
    for words in named:
        assert words.split()[0] in COMMANDS
        if len(words.split()) > 1:
            assert main(words.split()) == 0
            assert words.split()[1] in capsys.readouterr().out


def test_the_commands_of_the_repository_are_there() -> None:
    page = (root() / "README.md").read_text(encoding="utf-8")
    goals = re.findall(r"^    make (\w+)", page, re.MULTILINE)
    assert goals == ["verify", "quick", "test"]
    for goal in goals:
        assert subprocess.run(["make", "-n", goal], cwd=root(), check=False, capture_output=True).returncode == 0
    tagged = re.findall(r"^    python verify.py (--tag .+)$", page, re.MULTILINE)
    assert len(tagged) == 1
    done = subprocess.run(
        [sys.executable, "verify.py", *tagged[0].split(), "--list"],
        cwd=root(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "matmul_hoist_load_historical" in done.stdout


def _without_times(text: str) -> list[str]:
    return re.sub(r"[\d.]+\s+s\b", "0 s", text).split()
