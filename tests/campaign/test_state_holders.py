"""State that a loop or a path changes, in every holder that we know of."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.kernel_files import complaints
from lab.state_holders import kernels

pytestmark = pytest.mark.campaign


#: What one concrete run gives to a class or a function of the standard library, the next one in its process finds
#: there (docs/limitations.md): such a kernel may be FAILED for it.
_OF_LIBRARIES = pytest.mark.xfail(reason="attributes of classes of libraries are not taken back", strict=False)


def _cases() -> list[object]:
    held = [(name, name.startswith(("class of a library", "function of a library"))) for name, _ in kernels()]
    marks = [(_OF_LIBRARIES,) if library else () for _, library in held]
    return [pytest.param(text, id=name, marks=mark) for (name, text), mark in zip(kernels(), marks, strict=True)]


@pytest.mark.parametrize("text", _cases())
def test_no_verdict_contradicts_concrete_runs(text: str, tmp_path: Path) -> None:
    file = tmp_path / "holder.py"
    file.write_text(text, encoding="utf-8")
    assert complaints(file) == []
