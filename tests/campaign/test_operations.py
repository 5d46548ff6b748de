"""The campaign by operation: a sample of it, and that it covers what it says."""

from __future__ import annotations

import pytest

from lab.operation_calls import CALLS, NOT_CALLED
from lab.operation_kernels import written
from lab.operations import campaign
from nkiverify.model.registry import declarations


def test_every_operation_that_states_a_dependence_is_called_or_says_why_not() -> None:
    called = {call.name for call in CALLS}
    stated = {each.name for each in declarations() if each.dependence is not None}
    assert called <= stated
    left_out = {name for name in stated - called if name.partition(".")[0] not in NOT_CALLED}
    assert left_out == NOT_CALLED.keys() - {"ncc"}


def test_a_kernel_of_a_seed_is_always_the_same() -> None:
    assert written(17, 3) == written(17, 3)
    assert written(17, 3).text != written(17, 4).text


@pytest.mark.campaign
@pytest.mark.parametrize("first", [0, 4000, 8000])
def test_sets_marks_and_the_simulator_agree_on_a_sample(first: int) -> None:
    tallies = list(campaign(first, 45, 1, 1))
    assert [defect for tally in tallies for defect in tally.defects] == []
    assert sum(tally.kernels for tally in tallies) >= 40
    assert sum(tally.programs for tally in tallies) >= 90
    assert sum(tally.compared["programs proved"] for tally in tallies) >= 5
