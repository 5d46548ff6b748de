"""What shells are given to complete commands and options."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from nkiverify.cli.main import COMMANDS, main


def words_after(script: str, *line: str) -> set[str]:
    """The words that bash offers at the end of `line`."""
    quoted = " ".join(f"'{word}'" for word in line)
    ask = f"COMP_WORDS=({quoted}); COMP_CWORD={len(line) - 1}; _nkiverify; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    bash = shutil.which("bash")
    assert bash is not None
    done = subprocess.run([bash, "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.fixture
def script(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", "bash"]) == 0
    return capsys.readouterr().out


def test_commands_options_and_values_are_completed(script: str) -> None:
    assert words_after(script, "nkiverify", "") == set(COMMANDS)
    assert words_after(script, "nkiverify", "che") == {"check"}
    assert {"--where", "--watch"} <= words_after(script, "nkiverify", "check", "--w")
    assert "--where" not in words_after(script, "nkiverify", "doctor", "--")
    assert words_after(script, "nkiverify", "check", "--output-format", "g") == {"github"}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_theirs(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert "nkiverify" in out and "output-format" in out
    assert ("bashcompinit" in out) is (shell == "zsh")
