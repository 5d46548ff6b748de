"""Every target of the manifest ends as expected, and every bounded one as running its shapes concretely does."""

from __future__ import annotations

import re

import pytest

from nkiverify.foundation import resources
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.concrete import TOO_LONG
from nkiverify.frontend.target import Target
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.bundled import TARGETS
from tests.corpus.shapes import Runner, Shapes, shapes_of
from tests.docs.test_audit import findings
from tests.docs.test_upstream_bugs import bugs_told
from tests.representatives import representatives

#: About how many shapes of a bounded target run concretely in phases beyond the second.
SHAPES_OF_LATER_PHASES = 2

#: Contracts that the concrete run of a target with one shape looks at: of kernels with larger ones there are smaller
#: targets as well.
MOST_CONTRACTS = 200_000


#: What AUDIT.md lists as warned of: rule and target.
AUDITED = {
    (row[1], name)
    for row in re.finditer(
        r"^\| `(df\.\w+)` \| `kernels/[^|]*\| ([^|]*) \|",
        (resources.root() / "AUDIT.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    for name in re.findall(r"`(\w+)`", row[2])
}


@pytest.fixture(scope="module", params=TARGETS, ids=lambda target: target.name)
def verified(request: pytest.FixtureRequest) -> tuple[Target, list[Run]]:
    """A target, with its verdicts in the phases that it expects one for: each is verified once for all tests."""
    return request.param, verify(request.param, Options(root=resources.root(), unhurried=True))


def test_target_ends_as_expected(verified: tuple[Target, list[Run]]) -> None:
    target, runs = verified
    assert [run.phase for run in runs] == sorted(target.expect)
    for run in runs:
        assert run.as_expected, f"phase {run.phase}: {run.verdict.value} {run.qualifier}: {run.reason}"
        assert not run.qualifier or "--unwind" in target.flags, "no target is bounded that does not say so"

    warned = {(warning.rule, run.target) for run in runs for warning in run.warnings}
    assert warned == {(rule, name) for rule, name in AUDITED if name == target.name}, "AUDIT.md lists the warnings"
    _told_on_pages(target, runs)


def _told_on_pages(target: Target, runs: list[Run]) -> None:
    """Compare what pages tell of a target with what is found."""
    for name, verdict, contracts in findings():
        if name == target.name:
            assert {(run.verdict.value, run.qualifier) for run in runs} == {(verdict, "")}
            assert contracts <= {violation.contract for run in runs for violation in run.violations}
    for run in runs if "upstream-bug" in target.tags else ():
        verdict, contracts = bugs_told()[target.name, run.phase]
        assert (run.verdict.value, run.qualifier) == (verdict, "")
        assert contracts <= {violation.contract for violation in run.violations}
        assert bool(contracts) == (run.verdict is Verdict.FAILED)


@pytest.mark.parametrize(
    "verified",
    representatives(TARGETS, kind=lambda target: (target.family, target.kind), name=lambda target: target.name),
    indirect=True,
)
def test_verdict_is_what_running_the_shapes_gives(
    verified: tuple[Target, list[Run]], request: pytest.FixtureRequest
) -> None:
    target, runs = verified
    everything = request.config.getoption("--all-shapes")
    shapes = shapes_of(target, everything)
    if shapes is None:
        pytest.skip("a dimension has no upper bound")
    if everything or len(shapes.choices) > 1:
        _compared(target, runs, shapes, Runner(target), everything)
        return
    try:
        _compared(target, runs, shapes, Runner(target, MOST_CONTRACTS), everything)
    except UnsupportedConstruct as stopped:
        if stopped.construct != TOO_LONG:
            raise
        pytest.skip(f"{stopped.construct}; smaller targets of its kernel are run")


def _compared(target: Target, runs: list[Run], shapes: Shapes, runner: Runner, everything: bool) -> None:
    for run in runs:
        choices = shapes.choices
        if run.phase > 2 and not everything:
            # Phases 1 and 2 have run them all: here a few, from the smallest to the largest.
            choices = choices[:: max(1, len(choices) // SHAPES_OF_LATER_PHASES)]
        complete = shapes.complete and len(choices) == len(shapes.choices)
        failing = [values for values in choices if runner.fails(run.phase, values)]
        if run.verdict is Verdict.SUCCESSFUL:
            assert failing == []
        else:
            assert run.verdict is Verdict.FAILED, run.reason
            assert failing or not complete
            for violation in run.violations:
                if violation.replayed:
                    assert runner.fails(run.phase, violation.values), violation.values
                    assert violation.values in failing or not complete
