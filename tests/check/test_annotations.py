"""GitHub's commands of `check --annotations`: once each, and never among what a program reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from tests.check.kernel_files import COPY, write


@pytest.mark.parametrize("given", [["--arg", "a=bf16[P,F]", "--where", "F > 1"], []], ids=["given", "derived"])
@pytest.mark.parametrize("form", ["full", "concise", "github", "json", "sarif"])
def test_each_finding_is_marked_once(
    form: str, given: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, k=COPY if given else COPY.replace("    assert", "    pass  # assert"))
    monkeypatch.chdir(tmp_path)
    command = ["check", "k.py::copy", *given, "--phase", "1", "--no-cache"]
    main([*command, "--output-format", "github"])
    marks = [line for line in capsys.readouterr().out.splitlines() if line.startswith("::")]
    assert marks
    main([*command, "--output-format", form, "--annotations"])
    shown = capsys.readouterr()
    assert [line for line in (shown.out + shown.err).splitlines() if line.startswith("::")] == marks
    if form in ("json", "sarif"):
        assert json.loads(shown.out)
