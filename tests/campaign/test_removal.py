"""A contract that is taken out is missed by its own control, and by nothing else."""

from __future__ import annotations

import pytest

from lab.removal import broken_besides, main, verdict_without, without
from nkiverify.foundation.records import Verdict
from nkiverify.model.contracts import contract
from nkiverify.project.controls import controls
from tests.model.test_controls import run_of


@pytest.mark.campaign
def test_without_its_contract_the_wrong_kernel_of_no_control_fails() -> None:
    # So the test of that control would fail, and the contract is what it is about.
    pairs = {name: control.wrong for name, control in controls().items()}
    runs = {name: verdict_without(name, wrong) for name, wrong in pairs.items()}
    assert {name: found for name, run in runs.items() if (found := broken_besides(run, pairs[name]))} == {}
    # Phase 5 sees by itself that a number is lost for which nothing is reported, and Python raises without a contract.
    errors = {name for name, run in runs.items() if run.verdict is Verdict.ERROR}
    raised = {"host.division_by_zero", "kernel.exception"}
    assert errors <= {name for name in runs if contract(name).phase == 5} | raised


@pytest.mark.parametrize(
    "name", ["nc_matmul.k_le_128", "host.int32", "mem.placed_overlap", "df.read_unwritten", "num.overflow"]
)
def test_a_contract_is_back_afterwards_in_every_phase(name: str) -> None:
    wrong = controls()[name].wrong
    assert contract(name).phase in (1, 2, 3, 4, 5)
    with without(name):
        assert run_of(wrong).verdict is not Verdict.FAILED
    assert run_of(wrong).verdict is Verdict.FAILED


def test_the_command_names_a_control_that_fails_for_another_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nc_matmul.k_le_128"]) == 0
    assert capsys.readouterr().out == "contracts removed: 1 (1 SUCCESSFUL), controls that still fail: 0\n"
    # As if another contract had been taken out than the one the control is about.
    monkeypatch.setattr("lab.removal.without", lambda removed: without("nc_matmul.moving_free"))
    assert main(["nc_matmul.k_le_128"]) == 1
    assert "nc_matmul.k_le_128: FAILED nc_matmul.k_le_128\n" in capsys.readouterr().out
