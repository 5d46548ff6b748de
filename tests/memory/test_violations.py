"""What phase 3 lists beside a violation that concrete runs confirm."""

from __future__ import annotations

from pathlib import Path

from nkiverify.foundation.records import Verdict
from nkiverify.manifest import Verification
from nkiverify.model.hardware import TRN2
from nkiverify.phases import MEMORY
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


def test_an_overlap_that_no_concrete_run_confirms_is_no_violation(tmp_path: Path) -> None:
    def call(v: Verification) -> None:
        v.call(v.dim("n", high=1000))

    # Nothing was written where `one` is read: phase 4 says so.
    target = target_of(KERNEL.replace("{place}", "32"), call, tmp_path)
    assert verdict(target, MEMORY.number).verdict is Verdict.UNKNOWN
    target = target_of(KERNEL.replace("{place}", "30000"), call, tmp_path)
    run = verdict(target, MEMORY.number)
    assert run.verdict is Verdict.FAILED
    assert [violation.contract for violation in run.violations] == ["mem.addr_range"]


LEFT_OVER = """
def kernel(n):
    one = tile(8, address=(0, 0))
    two = tile(8, address=(0, 0))
    out = tile(8)
    nisa.memset({first}, 0)
    nisa.memset({second}[:, 0:4], 0)
    nisa.tensor_copy(out, two)
"""


def test_what_another_tile_has_left_is_not_written_over(tmp_path: Path) -> None:
    def broken(first: str, second: str) -> list[str]:
        target = target_of(LEFT_OVER.format(first=first, second=second), lambda v: v.call(v.dim("n", high=4)), tmp_path)
        return [found.contract.id for found in MEMORY.confirm(target, {"n": 1}, TRN2).broken]

    # Half of `two` is read unwritten, where `one` has been: phase 4 says so.
    assert broken("one", "two") == []
    assert broken("two", "one") == ["mem.placed_overlap"]
