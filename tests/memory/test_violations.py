"""What phase 3 lists beside a violation that plain runs confirm."""

from __future__ import annotations

from pathlib import Path

from nkiverify.manifest import Verification
from nkiverify.model.placement import MEMORY_PHASE
from nkiverify.results import Verdict
from tests.memory.kernels import target_of
from tests.soundness.trap import verdict

KERNEL = """
def kernel(n):
    one = tile(8, address=(0, 0))
    two = tile(8, address=(0, 0))
    nisa.tensor_copy(two, one)
    for i in range(n):
        three = tile(8, address=(0, {place} * i))
        nisa.memset(three, 0)
"""


def test_an_overlap_that_no_plain_run_confirms_is_no_violation(tmp_path: Path) -> None:
    def call(v: Verification) -> None:
        v.call(v.dim("n", high=10))

    # Nothing was written where `one` is read: phase 4 says so.
    target = target_of(KERNEL.replace("{place}", "32"), call, tmp_path)
    assert verdict(target, MEMORY_PHASE).verdict is Verdict.UNKNOWN
    target = target_of(KERNEL.replace("{place}", "30000"), call, tmp_path)
    run = verdict(target, MEMORY_PHASE)
    assert run.verdict is Verdict.FAILED
    assert [violation.contract for violation in run.violations] == ["mem.addr_range"]
