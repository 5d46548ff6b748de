"""From a refutation to its minimal, replayed witness is not far for the tutorial kernels: in calls, not in seconds."""

from __future__ import annotations

import cProfile
import pstats

import pytest

from nkiverify.foundation import resources
from nkiverify.foundation.clock import Allowance
from nkiverify.foundation.records import Verdict
from nkiverify.project.manifest_targets import load_targets
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

TUTORIAL = (
    "matmul_basic_buggy",
    "matmul_tiled_buggy",
    "matmul_hoist_load_buggy",
    "matmul_block_free_buggy",
    "matmul_fully_optimized_buggy",
    "tensor_add_buggy",
    "transpose2d_buggy",
    "avgpool_buggy",
)


#: Calls of functions, of which Python makes some millions in a second; and milliseconds of an idle core for Z3.
MOST_CALLS, MOST_MILLISECONDS = 200_000, 200


@pytest.mark.parametrize("name", TUTORIAL)
def test_a_witness_comes_at_once(name: str) -> None:
    (target,) = [target for target in load_targets() if target.name == name]
    options = Options(root=resources.root())
    verify(target, options)
    # A second run, exploration included: what is loaded does not count.
    allowed, profile = Allowance(MOST_MILLISECONDS), cProfile.Profile()
    (run,) = profile.runcall(verify, target, options)
    assert pstats.Stats(profile).total_calls < MOST_CALLS  # type: ignore[attr-defined]
    assert not allowed.used_up
    assert run.verdict is Verdict.FAILED
    assert run.violations[0].replayed
