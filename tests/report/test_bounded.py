"""A SUCCESSFUL up to a bound is no proof: every format says so, and the exit status unless the bound is accepted."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.foundation.source import Site
from nkiverify.report import concise, junit, markdown, sarif, terminal
from nkiverify.report.annotations import text as annotated
from nkiverify.report.dashboard.data import state
from nkiverify.results import codec
from nkiverify.results.session import ExitStatus, Session
from tests.report.samples import run, session

_SAID = {
    "terminal": lambda one: terminal.report(one, detail_expected=True),
    "terminal of many": lambda one: terminal.report(one, detail_expected=False),
    "concise": concise.text,
    "github": annotated,
    "SARIF": lambda one: sarif.text(one, {}),
    "JUnit": junit.text,
    "Markdown": lambda one: markdown.text(one).replace("\\", ""),
    "JSON": codec.text,
}


def up_to(*, accept: tuple[str, ...] = ()) -> Run:
    """A run of phase 4 up to a bound."""
    place = Site("/checkout/kernels/a.py", 3)
    return run(phase=4, qualifier="bounded B <= 104", reason="a claim is open", place=place, accept=accept)


@pytest.mark.parametrize("text", _SAID.values(), ids=_SAID)
@pytest.mark.parametrize("accept", [(), ("bounded",)], ids=["not accepted", "accepted"])
def test_every_format_says_the_bound(text: Callable[[Session], str], accept: tuple[str, ...]) -> None:
    assert "bounded" in text(session(run(), up_to(accept=accept)))


def test_only_a_bound_that_is_accepted_ends_as_expected() -> None:
    assert session(up_to()).exit_status is ExitStatus.UNKNOWN
    assert session(up_to(accept=("bounded",))).exit_status is ExitStatus.AS_EXPECTED
    assert not up_to().as_expected and up_to(accept=("bounded",)).as_expected
    assert state(up_to()) == state(up_to(accept=("bounded",))) == "bounded"


def test_annotations_are_warnings_until_it_is_accepted() -> None:
    line = "file=kernels/a.py,line=3,title=matmul_tiled%2C phase 4%3A SUCCESSFUL (bounded B <= 104)%2C expected "
    assert annotated(session(up_to())) == f"::warning {line}SUCCESSFUL::a claim is open\n"
    assert annotated(session(up_to(accept=("bounded",)))) == f"::notice {line}SUCCESSFUL::a claim is open\n"


def test_a_line_for_editors() -> None:
    said = "kernels/a.py:3: SUCCESSFUL (bounded B <= 104): phase 4: a claim is open\n"
    assert concise.text(session(run(), up_to())) == said


def test_sarif_has_a_rule_for_it_and_suppresses_what_is_accepted() -> None:
    for accept, level, suppressed in (((), "warning", False), (("bounded",), "note", True)):
        (result,) = json.loads(sarif.text(session(up_to(accept=accept)), {}))["runs"][0]["results"]
        assert (result["ruleId"], result["level"]) == ("verdict.bounded", level)
        assert ("suppressions" in result) == suppressed
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 3


def test_a_test_case_of_junit_passes_only_where_it_is_accepted() -> None:
    assert "<error" in junit.text(session(up_to()))
    assert "<error" not in junit.text(session(up_to(accept=("bounded",))))


def test_phases_that_say_the_same_are_one_line_for_editors_and_one_mark_at_a_pull_request() -> None:
    place = Site("/checkout/kernels/a.py", 3)
    reasons = {1: "a while loop", 2: "a while loop", 3: "a while loop", 4: "another"}
    of = session(
        *(
            run(phase=phase, expected=None, verdict=Verdict.UNKNOWN, reason=reason, place=place)
            for phase, reason in reasons.items()
        )
    )
    assert concise.text(of) == (
        "kernels/a.py:3: UNKNOWN: phases 1 to 3: a while loop\nkernels/a.py:3: UNKNOWN: phase 4: another\n"
    )
    assert annotated(of) == (
        "::warning file=kernels/a.py,line=3,title=matmul_tiled%2C phases 1 to 3%3A UNKNOWN::a while loop\n"
        "::warning file=kernels/a.py,line=3,title=matmul_tiled%2C phase 4%3A UNKNOWN::another\n"
    )
