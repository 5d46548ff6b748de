"""One assert that is reached on many paths: a claim on each, of which only some are looked at."""

from __future__ import annotations

from pathlib import Path

from nkiverify.foundation.records import Verdict
from tests.soundness.trap import target_for, verdict

SOURCE = """
    def kernel(n):
        total = 0
        for i in range(n):
            total += i + 1
        assert total <= 2 * n
    """


def test_the_smallest_of_many_claims_is_shown(tmp_path: Path) -> None:
    # Each length of the loop is a path with a claim; the fifth is the first that fails.
    run = verdict(target_for(SOURCE, tmp_path, high=40))
    assert [violation.witness for violation in run.violations] == [{"n": 4}]


def test_a_witness_that_is_not_the_smallest_is_not_called_so(tmp_path: Path) -> None:
    run = verdict(target_for(SOURCE, tmp_path, high=40))
    assert run.verdict is Verdict.FAILED
    (found,) = run.violations
    # Four is the least: 1 + 2 + 3 + 4 > 8.
    assert found.replayed
    assert not found.smallest or found.witness == {"n": 4}


CUT_OFF = """
    class Box:
        def __init__(self):
            self.count = 0

        def bump(self, by):
            self.count += by

    def kernel(n):
        box = Box()
        for i in range(n):
            assert i < 1
            for k in range(n):
                box.bump(k)
            break
    """


def test_what_a_cut_loop_hides_is_no_defect_of_ours(tmp_path: Path) -> None:
    # Two rounds of the inner loop are followed, and there are four at least: the `break` behind it is never seen.
    run = verdict(target_for(CUT_OFF, tmp_path, low=4, high=40, flags="--unwind 2"))
    assert (run.verdict, run.qualifier) == (Verdict.UNKNOWN, "not confirmed by running the kernel")
    assert "loops are followed for 2 rounds only" in run.reason
    # Where the bound suffices for some of the shapes, it is seen.
    assert verdict(target_for(CUT_OFF, tmp_path, low=1, high=40, flags="--unwind 2")).verdict is Verdict.SUCCESSFUL
