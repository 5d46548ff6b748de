"""The samples in `reports/sample` are what the program writes."""

from __future__ import annotations

import pytest

from tests.report.sample_files import FOLDER, contents


@pytest.mark.parametrize("name", sorted(contents()))
def test_the_sample_is_what_is_written_now(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == contents()[name], "run python -m tests.report.sample_files"


def test_there_are_no_other_samples() -> None:
    assert {path.name for path in FOLDER.iterdir()} == contents().keys()
