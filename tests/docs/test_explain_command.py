"""`nkiverify explain` shows a rule between a kernel that breaks it and one that keeps it; coverage counts both."""

from __future__ import annotations

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation import resources
from nkiverify.project.controls import Control, controls
from nkiverify.project.manifest_targets import load_targets


def test_the_kernels_shown_are_the_controls(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "nc_matmul.k_le_128"]) == 0
    out = capsys.readouterr().out
    control = controls()["nc_matmul.k_le_128"]
    assert "K must be at most 128, or the row tile size." in out
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


def test_a_warning_is_explained_beside_contracts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "df.unused", "ti.gen4"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("df.unused\n  Nothing that reaches an output uses what this line writes. A warning of")
    assert "ti.gen4" in out
    assert "df.read_unwritten" not in out


def test_a_contract_of_targets_has_no_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "target.claim"]) == 0
    assert "No kernel breaks it by itself" in capsys.readouterr().out


def test_an_unknown_contract_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "nc_matmul.k_le"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "did you mean nc_matmul.k_le_128" in err


def test_coverage_names_a_target_and_the_controls(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [target for target in load_targets(resources.root()) if target.name in ("matmul_tiled", "attn_fwd_v1")]
    monkeypatch.setattr("nkiverify.project.manifest_targets.load_targets", lambda root: few)
    asked = ["ti.gen4", "nc_matmul.k_equal", "target.claim", "leg.tile", "df.read_unwritten"]
    assert main(["contracts", "--coverage", "--bundled", *asked]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    by_contract = {line.split()[0]: line.split() for line in lines[2:7]}
    assert by_contract["ti.gen4"][1:3] == ["0", "-"]
    assert all(place.startswith("controls/indirection.py:") for place in by_contract["ti.gen4"][3:])
    assert by_contract["nc_matmul.k_equal"][1] == "2"
    assert by_contract["df.read_unwritten"][1] == "2"
    assert by_contract["target.claim"][3:] == ["-", "-"]
    assert by_contract["leg.tile"][3] == "-" and by_contract["leg.tile"][4] != "-"
    assert (
        "5 contracts: 2 exercised by 2 targets, 3 by a control that keeps them, 4 broken by a control" in lines
        and "  target.claim: a target states it" in lines
        and "MISSING" not in out
    )


def test_a_contract_that_nothing_exercises_or_breaks_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = dict(controls())
    pair = pairs.pop("nc_matmul.k_equal")
    pairs["ti.gen4"] = Control(pair.right, pairs["ti.gen4"].wrong)
    monkeypatch.setattr("nkiverify.project.coverage.controls", lambda: pairs)
    monkeypatch.setattr("nkiverify.project.manifest_targets.load_targets", lambda root: [])
    assert main(["contracts", "--coverage", "--bundled", "ti.gen4", "nc_matmul.k_equal"]) == 1
    lines = capsys.readouterr().out.splitlines()
    missing = lines[lines.index("MISSING:") + 1 :]
    assert missing == [
        "  nc_matmul.k_equal: no control breaks it",
        "  ti.gen4: no target and no right control claims it",
    ]


def test_a_rule_of_the_language_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "lang.deprecated"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("lang.deprecated Deprecated names of nki.language must not be used.")
    assert "affine_range (since NKI 0.2): write range" in out
