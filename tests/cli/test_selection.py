"""Which targets a command line is about, and what it is told when there are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.records import Verdict
from nkiverify.project.chosen_targets import select
from nkiverify.verify.options import phases_to_run
from tests.executors.fakes import options, target
from tests.quick import main

MANIFEST = [
    target("matmul_tiled", family="matmul_tiled", expect={1: Verdict.SUCCESSFUL, 2: Verdict.SUCCESSFUL}),
    target("matmul_tiled_buggy", family="matmul_tiled", expect={1: Verdict.FAILED}, tags=("upstream-bug",)),
    target("transpose2d", family="transpose2d", tags=("quick", "upstream-bug")),
    target("unguarded", family="host", expect={2: Verdict.FAILED}),
    target("mine", family="own", expect={}),
]


def names(**settings: Any) -> list[str]:
    return [chosen.name for chosen in select(MANIFEST, options(**settings))]


@pytest.mark.parametrize(
    ("settings", "chosen"),
    [
        ({}, ["matmul_tiled", "matmul_tiled_buggy", "transpose2d", "unguarded", "mine"]),
        ({"patterns": ("transpose2d", "matmul_tiled")}, ["matmul_tiled", "transpose2d"]),
        ({"patterns": ("matmul*",)}, ["matmul_tiled", "matmul_tiled_buggy"]),
        ({"patterns": ("matmul_tiled*", "transpose2d", "matmul*")},
         ["matmul_tiled", "matmul_tiled_buggy", "transpose2d"]),
        ({"patterns": ("*_[bc]uggy",)}, ["matmul_tiled_buggy"]),
        ({"families": ("matmul_*",), "tags": ("upstream-bug",)}, ["matmul_tiled_buggy"]),
        ({"tags": ("quick", "upstream-bug")}, ["matmul_tiled_buggy", "transpose2d"]),
        ({"phases": (2,)}, ["matmul_tiled", "unguarded", "mine"]),
        ({"phases": (2,), "tags": ("quick",)}, []),
    ],
)  # fmt: skip
def test_filters_narrow_and_the_manifest_orders(settings: dict[str, Any], chosen: list[str]) -> None:
    assert names(**settings) == chosen


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"patterns": ("matmul_tild",)}, "no target is named 'matmul_tild'; did you mean matmul_tiled"),
        ({"patterns": ("Transpose2d",)}, "no target is named 'Transpose2d'; did you mean transpose2d?"),
        ({"patterns": ("zzz",)}, "no target is named 'zzz'"),
        ({"patterns": ("matmul*", "conv*")}, "no target matches 'conv*'"),
        ({"patterns": ("",)}, "no target is named ''"),
        ({"families": ("transpose",)}, "no family is named 'transpose'; did you mean transpose2d?"),
        ({"tags": ("upstream",)}, "no tag is named 'upstream'; did you mean upstream-bug?"),
    ],
)
def test_a_filter_that_fits_nothing_is_the_users_mistake(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        names(**settings)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("name", "asked", "phases"),
    [
        ("matmul_tiled", None, (1, 2)),
        ("matmul_tiled", (2,), (2,)),
        ("matmul_tiled_buggy", None, (1,)),
        ("matmul_tiled_buggy", (2,), ()),
        ("mine", None, (1, 2, 3, 4)),
        ("mine", (2,), (2,)),
    ],
)
def test_a_target_runs_in_the_phases_it_expects_something_in(
    name: str, asked: tuple[int, ...] | None, phases: tuple[int, ...]
) -> None:
    named = next(one for one in MANIFEST if one.name == name)
    assert phases_to_run(named, options(phases=asked)) == phases


def test_warnings_fail_a_run_where_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["mx_offline_matmul", "--bundled", "--phase", "4", "-j", "1", "--engine", "embedded", "--no-cache"]
    assert main(words) == 0
    assert "warning df.unused" in capsys.readouterr().out
    assert main([*words, "-W", "error"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("FAILED (warnings): ")
    assert last.endswith("df.unused, which -W error makes fail")
    assert main([*words, "-W", "error", "-W", "ignore=df.unused"]) == 0
    assert "df.unused" not in capsys.readouterr().out
