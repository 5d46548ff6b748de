"""`nkiverify explain` shows a rule between a kernel that breaks it and one that keeps it; coverage counts both."""

from __future__ import annotations

import pytest

from nkiverify.cli import main
from nkiverify.controls import controls


def test_the_kernels_shown_are_the_controls(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "nc_matmul.k_le_128"]) == 0
    out = capsys.readouterr().out
    control = controls()["nc_matmul.k_le_128"]
    assert "K is at most 128, or the row tile size." in out
    wrong, right = out.index("  wrong: controls/tensor_engine.py:"), out.index("  right: controls/tensor_engine.py:")
    assert wrong < right
    assert ", on trn2\n" in out[wrong:right]
    for line in control.wrong.text.splitlines():
        assert f"    {line}" in out[wrong:right]
    for line in control.right.text.splitlines():
        assert f"    {line}" in out[right:]


def test_hardware_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    main(["explain", "ti.gen4"])
    out = capsys.readouterr().out
    assert ", on trn2\n" in out and ", on trn3\n" in out


def test_a_contract_of_targets_has_no_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "target.claim"]) == 0
    assert "No kernel breaks it by itself" in capsys.readouterr().out


def test_an_unknown_contract_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "nc_matmul.k_le"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "did you mean nc_matmul.k_le_128" in err


def test_coverage_names_a_target_and_the_control(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contracts", "--coverage", "--bundled", "ti.gen4", "nc_matmul.k_equal", "target.claim"]) == 0
    lines = capsys.readouterr().out.splitlines()
    by_contract = {line.split()[0]: line.split() for line in lines[2:5]}
    assert by_contract["ti.gen4"][1:3] == ["0", "-"]
    assert by_contract["ti.gen4"][3].startswith("controls/indirection.py:")
    assert int(by_contract["nc_matmul.k_equal"][1]) > 10
    assert by_contract["target.claim"][3] == "-"
    assert lines[-1].startswith("3 contracts: 2 exercised by ") and lines[-1].endswith(", 2 broken by a control")
