"""docs/tutorial.md, followed from its beginning to its end: every file is written, every command run and compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from nkiverify.foundation.resources import root

PAGE = (root() / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(?P<language>python|console)\n(?P<text>.*?)```", re.DOTALL)

#: What differs from run to run and from version to version: times, and how many claims there are.
ROW = re.compile(r"^(\S+ +[1-4] .*?) +\d+ +[\d.]+( +agrees)?$", re.MULTILINE)


def squeezed(text: str) -> list[str]:
    """The lines of a report without what differs each time."""
    text = ROW.sub(r"\1", re.sub(r"\bin [\d.]+\s+s", "in 0.0 s", text))
    return [re.sub(r"[ -]{2,}", "  ", line).strip() for line in text.strip().splitlines()]


def test_the_tutorial_is_what_happens(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    environment = os.environ | {"PYTHONPATH": str(root()), "COLUMNS": "80"}
    commands = 0
    for block in BLOCK.finditer(PAGE):
        if block["language"] == "python":
            # It is the file that was named last.
            file = re.findall(r"`(\w+\.py)`", PAGE[: block.start()])[-1]
            (tmp_path / file).write_text(block["text"], encoding="utf-8")
            continue
        line, _, shown = block["text"].partition("\n")
        words = shlex.split(line.removeprefix("$ nkiverify "))
        assert line.startswith("$ nkiverify ")
        done = subprocess.run(
            [sys.executable, "-m", "nkiverify", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == (" FAILED " in shown), done.stderr
        if shown and not re.search(r" open$", done.stdout, re.MULTILINE):
            assert squeezed(done.stdout) == squeezed(shown)
        elif shown:
            # On a busy machine ESBMC has no time for its cross-check, and the report says so at length.
            verdicts = [line.split()[:4] for line in shown.splitlines() if " SUCCESSFUL " in line]
            assert [line.split()[:4] for line in done.stdout.splitlines() if " SUCCESSFUL " in line] == verdicts
        commands += 1
    assert commands == 6
