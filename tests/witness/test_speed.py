"""From a refutation to its minimal, replayed witness takes half a second at most for the tutorial kernels."""

from __future__ import annotations

import time

import pytest

from nkiverify.foundation import resources
from nkiverify.foundation.records import Verdict
from nkiverify.project.manifest import load_targets
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


@pytest.mark.parametrize("name", TUTORIAL)
def test_a_witness_comes_at_once(name: str) -> None:
    (target,) = [target for target in load_targets() if target.name == name]
    options = Options(root=resources.root())
    verify(target, options)
    # CPU time of a second run, exploration included: imports and other processes do not count.
    started = time.process_time()
    (run,) = verify(target, options)
    assert time.process_time() - started < 0.5
    assert run.verdict is Verdict.FAILED
    assert run.violations[0].replayed
