"""Loops that are unrolled: shapes beyond the bound are run before a verdict up to it, which is said and no proof."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from tests.check.kernel_files import Checker, write

#: Two tiles change places in each round in a way that no summary sees; `{columns}` of sums are there.
SWAPPED = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def rows(x):
        P, N = x.shape
        assert P == 128
        assert N % 64 == 0
        out = nl.ndarray((P, {columns}), dtype=nl.float32, buffer=nl.shared_hbm)
        sums = nl.ndarray((P, {columns}), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(sums, 0.0)
        turns = {{"at": 0}}
        for i in range(N // 64):
            tile = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
            turns["at"] = (turns["at"] * 3 + 1) % 5
            nisa.dma_copy(dst=tile, src=x[:, i * 64 : (i + 1) * 64])
            nisa.tensor_reduce(dst=sums[:, i : i + 1], op=nl.add, data=tile, axis=1)
        nisa.dma_copy(dst=out, src=sums)
        return out
"""
GIVEN = ("k.py::rows", "--arg", "x=bf16[128,64*T]")


def test_a_fault_beyond_the_bound_is_found_on_its_smallest_shape(check: Checker) -> None:
    write(check.folder, k=SWAPPED.format(columns=40))
    assert check(*GIVEN) == 1, check.out
    assert "T = 41 (reproduced by running the kernel)" in check.out and "idx.oob" in check.out


def test_a_small_domain_is_run_in_full(check: Checker) -> None:
    write(check.folder, k=SWAPPED.format(columns=40))
    assert check(*GIVEN, "--where", "T <= 40") == 0, check.out
    assert "bounded" not in check.out


def test_a_fault_at_the_end_of_the_domain_is_found(check: Checker) -> None:
    write(check.folder, k=SWAPPED.format(columns=40))
    assert check(*GIVEN, "--where", "T <= 41") == 1, check.out


@pytest.mark.parametrize(("given", "status"), [((), 3), (("--accept", "bounded"), 0)], ids=["not accepted", "accepted"])
@pytest.mark.parametrize("form", ["full", "concise", "github", "sarif"])
def test_the_exit_status_is_that_of_a_proof_where_the_bound_is_accepted(
    check: Checker, given: tuple[str, ...], status: int, form: str
) -> None:
    write(check.folder, k=SWAPPED.format(columns="N // 64"))
    assert check(*GIVEN, "--phase", "1", "--output-format", form, *given) == status, check.out
    assert "bounded 8" in check.out


def test_settings_accept_a_bound_by_name(check: Checker) -> None:
    write(check.folder, k=SWAPPED.format(columns="N // 64"))
    (check.folder / "pyproject.toml").write_text('[tool.nkiverify]\naccept = ["bounded"]\n')
    assert check(*GIVEN, "--phase", "1") == 0, check.out
    # What is accepted of answers about two kernels is nothing of a verdict.
    (check.folder / "pyproject.toml").write_text('[tool.nkiverify]\naccept = ["tested", "bounded"]\n')
    assert check(*GIVEN, "--phase", "1", "--json", "found.json") == 0, check.out
    assert json.loads((check.folder / "found.json").read_text())["runs"][0]["accept"] == ["bounded"]
    (check.folder / "pyproject.toml").write_text('[tool.nkiverify]\naccept = ["sampled"]\n')
    assert check(*GIVEN, "--phase", "1") == 2


def test_the_bound_is_a_part_of_a_domain_that_is_derived(check: Checker) -> None:
    write(check.folder, k=SWAPPED.format(columns="N // 64"))
    assert check("k.py", "--json", "found.json") == 3, check.out
    said = " ".join(check.out.split())
    assert "is legal where P == 128, N % 64 == 0, N <= 575 " in said, check.out
    assert "not proved beyond N <= 575: loops at" in said and "the kernel's own asserts enforce this" not in said
    assert "proved for all such shapes" not in said
    found = json.loads((check.folder / "found.json").read_text())
    assert {one["qualifier"] for one in found["runs"]} == {"bounded N <= 575"} and found["exit_status"] == 3
    assert check("k.py", "--accept", "bounded") == 0


def test_a_target_says_itself_that_a_bound_is_expected(
    check: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(check.folder, k=SWAPPED.format(columns="N // 64"))
    for accept, status in (("()", 3), ("['bounded']", 0), ("'bounded'", 2), ("['sampled']", 2)):
        (tmp_path / "nkiverify_targets.py").write_text(
            "from nkiverify.manifest import SUCCESSFUL, Kind, target\n"
            "from nkiverify.model.dtypes import bfloat16\n"
            "@target(kernel='k.py::rows', family='f', kind=Kind.UNBOUNDED, expect={1: SUCCESSFUL}, "
            f"accept={accept})\n"
            "def rows_all(v):\n    v.call(v.tensor('x', (128, 64 * v.dim('T')), bfloat16))\n"
        )
        assert main(["run", "--no-page", "--no-cache", "--engine", "embedded"]) == status, capsys.readouterr().out
