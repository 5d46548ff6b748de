"""Two results are compared by what a user is told, and by nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.compare_results import differences


def results(folder: Path, name: str, **changed: Any) -> Path:
    run: dict[str, Any] = {
        "target": "t", "phase": 4, "engine": "embedded", "verdict": "FAILED", "qualifier": "", "reason": "",
        "claims": 3, "milliseconds": 5.0,
        "violations": [
            {"contract": "c", "file": "k.py", "line": 7, "witness": {"N": 2}, "message": "m", "replayed": True}
        ],
        "warnings": [],
    }  # fmt: skip
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"runs": [run | changed]}))
    return path


WARNING = {"rule": "r", "file": "k.py", "line": 7, "witness": {}, "message": "m", "element": [0], "holds": "always"}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"milliseconds": 9.0}, []),
        ({"verdict": "UNKNOWN"}, ["t phase 4 embedded: verdict: FAILED -> UNKNOWN"]),
        ({"claims": 4}, ["t phase 4 embedded: claims: 3 -> 4"]),
        ({"warnings": [WARNING]}, ["t phase 4 embedded: warnings: [] -> [('k.py:7', 'r', {}, 'm', [0], 'always')]"]),
        ({"target": "u"}, ["t phase 4 embedded: only before", "u phase 4 embedded: only after"]),
    ],
)
def test_what_differs_is_told(tmp_path: Path, changed: dict[str, Any], told: list[str]) -> None:
    before, after = results(tmp_path, "before"), results(tmp_path, "after", **changed)
    assert list(differences(before, after)) == told


def test_another_witness_is_a_difference(tmp_path: Path) -> None:
    before = results(tmp_path, "before")
    after = tmp_path / "after.json"
    after.write_text(before.read_text().replace('"N": 2', '"N": 3'))
    assert len(list(differences(before, after))) == 1


def test_folders_are_compared_file_by_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        results(tmp_path / name, "same")
    results(tmp_path / "two", "more")
    found = list(differences(tmp_path / "one", tmp_path / "two"))
    assert found == ["more t phase 4 embedded: only after"]
