"""Shapes of derived domains pass, and where one does not, that is seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.domains import Tally, subject_of, tried
from lab.subject import Bench, Subject
from nkiverify.verify.derive import statements

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R <= 128 and C <= 512
    assert C % 3 == 0 or C <= 4
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A folder for kernels."""
    made = Bench()
    yield made
    made.close()


def test_shapes_of_a_derived_domain_pass(bench: Bench) -> None:
    tally = Tally()
    tried(Subject(KERNEL, "", ()), bench, tally)
    assert not tally.defects and tally.shapes == 40 and tally.answers == {"legal": 1}


def test_kernels_of_the_campaign_are_the_same_each_time() -> None:
    assert subject_of(7, 3) == subject_of(7, 3) != subject_of(8, 3)
    assert any("assert" in subject_of(number, 3).kernel for number in range(5))


def test_an_assert_that_is_not_said_is_seen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "unsaid", lambda program, texts, said: [])
    tally = Tally()
    tried(Subject(KERNEL, "", ()), bench, tally)
    assert len(tally.defects) == 1 and "rejected: kernel.assert" in tally.defects[0]
