"""State that a loop or a path changes, in every holder that we know of."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.kernel_files import complaints
from lab.state_holders import kernels

pytestmark = pytest.mark.campaign


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in kernels()])
def test_no_verdict_contradicts_concrete_runs(text: str, tmp_path: Path) -> None:
    file = tmp_path / "holder.py"
    file.write_text(text, encoding="utf-8")
    assert complaints(file) == []
