"""Verdicts, and all that is said of them, do not depend on what the process did before, nor on the hash seed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lab import same
from nkiverify.foundation.resources import root
from nkiverify.symbolic import conditions, terms

#: The first says of one slice what is always true and what is not; the others order terms before it does.
TARGETS = ("interpolate_bilinear_low_unguarded", "transpose2d_129_rows", "matmul_block_free_ragged")


@pytest.mark.campaign
def test_alone_and_after_others_under_two_seeds() -> None:
    command = [sys.executable, "-m", "lab.same", *TARGETS, "--random", "2", "--seeds", "0,1", "--loads", "0,16"]
    done = subprocess.run(command, cwd=root(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("each 4 times: 0 differences\n")


def test_differences_are_told() -> None:
    one, two = {"a, phase 1": {"claims": 59}}, {"a, phase 1": {"claims": 61}, "b, phase 1": {"claims": 2}}
    ways = ["alone with seed 0", "after others with seed 0", "alone with seed 1", "after others with seed 1"]
    assert list(same._differences([one, one, two, one], ways)) == [
        "a, phase 1: claims: alone with seed 0 59, alone with seed 1 61",
        "b, phase 1: claims: alone with seed 0 None, alone with seed 1 2",
    ]


def test_clocks_go_faster_under_a_load() -> None:
    command = "from lab import same; import time; same._go_faster(17); print(time.process_time() / time.thread_time())"
    done = subprocess.run([sys.executable, "-c", command], cwd=root(), capture_output=True, text=True, check=True)
    assert 16 < float(done.stdout) < 18


def test_terms_that_are_left_of_earlier_kernels_order_nothing() -> None:
    before = terms.dimension("later"), terms.dimension("sooner")
    with terms.fresh():
        first, second = terms.dimension("sooner"), terms.dimension("later")
        assert str(terms.multiply(second, first)) == "sooner*later"
        with terms.fresh():
            assert terms.dimension("later") is second
    assert str(terms.multiply(*before)) == "later*sooner"


def test_no_condition_has_the_key_of_a_truth_value() -> None:
    # A claim that is no constant was left out, where it was the first condition of the process and the claim before it
    # at the same place was true: True equals 1 in a set of keys.
    keys = {conditions.condition_key(truth) for truth in (True, False)}
    assert len(keys) == 2 and not keys & set(range(100))
