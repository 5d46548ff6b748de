"""What the tests of `nkiverify check` share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.kernel_files import Checker


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Checker:
    """`nkiverify check`, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Checker(tmp_path, capsys)
