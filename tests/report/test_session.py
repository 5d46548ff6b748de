"""The exit status follows from the runs, and the worst of them decides in a fixed order."""

from __future__ import annotations

import itertools

import pytest

from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.results.session import PRECEDENCE, ExitStatus, status_of, worst
from tests.report.samples import refuted, run, session


@pytest.mark.parametrize(
    ("sample", "status"),
    [
        (run(), ExitStatus.AS_EXPECTED),
        (run(qualifier="bounded 8"), ExitStatus.UNKNOWN),
        (run(expected=Verdict.SUCCESSFUL, qualifier="bounded K <= 8, 2 accepted"), ExitStatus.UNKNOWN),
        (run(qualifier="bounded 8", accept=("bounded",)), ExitStatus.AS_EXPECTED),
        (run(expected=Verdict.FAILED, qualifier="bounded 8"), ExitStatus.MISMATCH),
        (run(expected=None), ExitStatus.AS_EXPECTED),
        (refuted(), ExitStatus.AS_EXPECTED),
        (refuted(expected=Verdict.SUCCESSFUL), ExitStatus.MISMATCH),
        (refuted(expected=None), ExitStatus.MISMATCH),
        (run(expected=Verdict.FAILED), ExitStatus.MISMATCH),
        (refuted(qualifier="not replayed"), ExitStatus.INTERNAL_ERROR),
        (run(verdict=Verdict.ERROR), ExitStatus.INTERNAL_ERROR),
        (run(verdict=Verdict.UNKNOWN), ExitStatus.UNKNOWN),
        (run(verdict=Verdict.VACUOUS), ExitStatus.NOTHING_VERIFIED),
        (run(advisory=True, verdict=Verdict.UNKNOWN), ExitStatus.AS_EXPECTED),
        (run(advisory=True, verdict=Verdict.ERROR, qualifier="unusable"), ExitStatus.AS_EXPECTED),
        (run(advisory=True, verdict=Verdict.ERROR, qualifier=Basis.DISAGREEMENT.value), ExitStatus.MISMATCH),
        (refuted(advisory=True), ExitStatus.AS_EXPECTED),
        (refuted(advisory=True, expected=Verdict.SUCCESSFUL), ExitStatus.MISMATCH),
        (refuted(advisory=True, expected=None), ExitStatus.MISMATCH),
        (refuted(advisory=True, expected=None, qualifier="not replayed"), ExitStatus.INTERNAL_ERROR),
    ],
)
def test_each_ending_has_its_status(sample: Run, status: ExitStatus) -> None:
    assert status_of(sample) is status


@pytest.mark.parametrize("verdict", [Verdict.UNKNOWN, Verdict.VACUOUS, Verdict.ERROR])
def test_what_is_no_conclusion_is_no_pass_even_where_it_is_expected(verdict: Verdict) -> None:
    assert session(run(expected=verdict, verdict=verdict)).exit_status is not ExitStatus.AS_EXPECTED


def test_a_session_without_runs_verified_nothing() -> None:
    assert session().exit_status is ExitStatus.NOTHING_VERIFIED


def test_an_interruption_outweighs_every_verdict() -> None:
    assert session(refuted(expected=None), interrupted=True).exit_status is ExitStatus.INTERRUPTED


def test_the_first_of_the_precedence_wins_whatever_the_order_of_the_runs() -> None:
    for better, worse in itertools.combinations(reversed((*PRECEDENCE, ExitStatus.AS_EXPECTED)), 2):
        if ExitStatus.AS_EXPECTED not in (better, worse):
            assert worst([better, worse]) is worst([worse, better]) is worse
    assert worst([ExitStatus.AS_EXPECTED, ExitStatus.NOTHING_VERIFIED]) is ExitStatus.NOTHING_VERIFIED
