"""Every contract has a positive control in `controls/`: verifying the wrong kernel finds it, and only it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation import resources
from nkiverify.foundation.records import Run, Verdict
from nkiverify.model.contracts import all_contracts, contract
from nkiverify.model.policy import STRICT, Policy
from nkiverify.phases import DATAFLOW
from nkiverify.project.controls import DEFAULT_HARDWARE, Control, Example, _Source, controls, variants
from nkiverify.project.coverage import NOTHING_TO_CLAIM, WITHOUT_CONTROL, claimed
from nkiverify.project.manifest_targets import load_targets
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

CONTROLS = controls()
#: Contracts that a target exercises and no control does: where sizes are known, what is legal leaves nothing to claim.
BY_TARGETS = {
    "idx.empty": "avgpool_legacy",
    "idx.keys": "matmul_tiled_all",
    "idx.oob": "matmul_tiled_all",
    "leg.index_broadcast": "maxpooling",
    "mem.ap_isa_ranges": "avgpool_symbolic",
    "mem.vec_free_limit": "attn_fwd_v1_asym_all",
}


#: Contracts that only a run in plain Python, of known sizes, claims where they are kept.
BY_CONCRETE_RUNS = {"mem.placed_overlap"}


def run_of(example: Example) -> Run:
    """The verdict about one kernel of a control, in the phase of its contract."""
    phase = 2 if example.contract.startswith("host.") else contract(example.contract).phase
    target = example.target()
    policy = Policy((STRICT,), nki=example.nki)
    runs = verify(target, Options(root=target.root, phases=(phase,), timeout=30, unhurried=True, policy=policy))
    if not runs:
        pytest.skip(f"phase {phase} is not verified")
    return runs[0]


def test_every_contract_has_a_control() -> None:
    defined = {entry.id for entry in all_contracts()}
    assert defined - CONTROLS.keys() == WITHOUT_CONTROL.keys()
    assert CONTROLS.keys() - defined == set()


def test_every_variant_is_one_of_a_contract_with_a_control() -> None:
    assert {control.right.contract for control in variants().values()} <= CONTROLS.keys()


@pytest.mark.parametrize("control", CONTROLS.values(), ids=CONTROLS.keys())
def test_the_right_kernel_keeps_every_contract_and_the_wrong_one_breaks_this_one(control: Control) -> None:
    right, wrong = run_of(control.right), run_of(control.wrong)
    # A kernel of which nothing is claimed, as it does nothing that is, is right too.
    assert right.verdict in (Verdict.SUCCESSFUL, Verdict.VACUOUS), right.reason or right.violations
    assert right.verdict is Verdict.SUCCESSFUL or not right.claims
    # Phase 4 says how much it claimed, not of which contract: see the next test.
    claimed = {one.contract for one in right.decided} if right.phase != DATAFLOW.number else {control.right.contract}
    unclaimed = {*NOTHING_TO_CLAIM, *BY_TARGETS} - BY_CONCRETE_RUNS
    assert (control.right.contract in claimed) != (control.right.contract in unclaimed)
    found = {violation.contract for violation in wrong.violations}
    assert control.wrong.contract in found, wrong.reason
    assert found <= control.wrong.broken
    assert all(violation.replayed for violation in wrong.violations)


@pytest.mark.parametrize("control", variants().values(), ids=variants().keys())
def test_the_wrong_kernel_of_a_variant_breaks_its_contract_and_the_right_one_does_not(control: Control) -> None:
    right, wrong = run_of(control.right), run_of(control.wrong)
    assert right.verdict in (Verdict.SUCCESSFUL, Verdict.VACUOUS), right.reason or right.violations
    found = {violation.contract for violation in wrong.violations}
    assert control.wrong.contract in found, wrong.reason
    assert found <= control.wrong.broken
    assert all(violation.replayed for violation in wrong.violations)


@pytest.mark.parametrize(
    "control", [one for one in CONTROLS.values() if contract(one.right.contract).phase == DATAFLOW.number]
)
def test_the_right_kernel_claims_its_contract_of_phase_4(control: Control) -> None:
    assert control.right.contract in claimed(control.right.target(), frozenset((DATAFLOW.number,)))


def test_what_no_right_control_claims_a_target_does() -> None:
    targets = {target.name: target for target in load_targets(resources.root())}
    for contract_id, name in BY_TARGETS.items():
        assert contract_id in claimed(targets[name], frozenset(targets[name].expect)), contract_id


def test_statements_are_sentences_with_a_source() -> None:
    for entry in all_contracts():
        assert entry.source, entry.id
        assert entry.statement.endswith("."), entry.id


@pytest.mark.parametrize("mark", ["@control\n", "@control()\n", ""])
def test_a_mark_that_says_nothing_is_as_none(mark: str, tmp_path: Path) -> None:
    file = tmp_path / "host.py"
    file.write_text(f"{mark}def host__int32(n: either(right='n: 1..2', wrong='n: 1..3')):\n    return n\n")
    _, examples = _Source(file).read()
    assert [(one.function, one.hardware, one.arguments) for one in examples] == [
        ("host__int32__right", DEFAULT_HARDWARE, ("n=n: 1..2",)),
        ("host__int32__wrong", DEFAULT_HARDWARE, ("n=n: 1..3",)),
    ]
    assert not any("control" in one.text for one in examples)
