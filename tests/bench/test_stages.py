"""Time counts for the innermost stage that is running, and for no other."""

from __future__ import annotations

import pytest

from nkiverify.foundation import stages
from nkiverify.foundation.stages import Stage, of_stage


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that shows its only element."""
    shown = [100.0]
    monkeypatch.setattr("time.perf_counter", lambda: shown[0])
    stages.reset()
    return shown


def test_time_in_another_stage_counts_for_the_other_alone(clock: list[float]) -> None:
    @of_stage(Stage.SOLVING)
    def solve() -> None:
        clock[0] += 4

    @of_stage(Stage.EXPLORING)
    def explore() -> None:
        clock[0] += 1
        solve()
        clock[0] += 2

    explore()
    clock[0] += 50
    spent = stages.seconds_by_stage()
    assert (spent[Stage.EXPLORING], spent[Stage.SOLVING], sum(spent.values())) == (3, 4, 7)


def test_a_stage_ends_where_an_exception_leaves_it(clock: list[float]) -> None:
    @of_stage(Stage.REPLAYING)
    def replay() -> None:
        clock[0] += 1
        raise ValueError

    with pytest.raises(ValueError):
        replay()
    clock[0] += 5
    assert stages.seconds_by_stage()[Stage.REPLAYING] == 1
