"""Corners of derived domains agree with concrete runs, and where they do not, that is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lab.corners import of_files, subject_of
from nkiverify.model import packing, placement
from nkiverify.model.packing import Tile
from nkiverify.products.derive import derivation, statements
from nkiverify.products.derive.capacity_limits import CapacityLimits
from nkiverify.products.derive.domain_candidates import Candidate
from nkiverify.symbolic import all_of
from nkiverify.symbolic.atoms import Atom

KERNEL = """
import math
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    {first}
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((R, C), dtype=nl.float32, buffer=nl.sbuf)
    other = nl.ndarray((R, C), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_copy(dst=other, src=tile)
    nisa.dma_copy(dst=out, src=other)
    return out
"""
TABLE = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R <= 128 and C % 512 == 0
    out = nl.ndarray((R, 16), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((R, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(sums, 0.0)
    k = 0
    for c in range(C // 512):
        a = nl.ndarray((R, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=x[:, c * 512 : (c + 1) * 512])
        nisa.tensor_reduce(dst=sums[:, k : k + 1], op=nl.add, data=a, axis=1)
        {count}
    nisa.dma_copy(dst=out, src=sums)
    return out
"""
WHOLE = KERNEL.format(first="assert R <= 128")
COUNTED = TABLE.replace("k : k + 1", "c : c + 1").format(count="k += 1")
UNROLLED = TABLE.format(count="k += 1 if c % 3 != 2 else 0")
OWN = KERNEL.format(first="assert R <= 128 and math.isqrt(C) ** 2 == C and C <= 400")


def differences(text: str, folder: Path) -> list[str]:
    """The differences that the campaign reports about a kernel."""
    (folder / "kernel.py").write_text(text, encoding="utf-8")
    (tally,) = of_files([folder / "kernel.py"], folder)
    assert tally.shapes["passes"]
    return tally.defects


@pytest.mark.parametrize("text", [WHOLE, COUNTED, UNROLLED, OWN], ids=["whole", "counted", "unrolled", "own"])
def test_corners_agree_with_what_is_said(text: str, tmp_path: Path) -> None:
    assert differences(text, tmp_path) == []


def test_operands_of_symbolic_partitions_that_do_not_add_up_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = packing.fit

    def each_alone(tiles: Sequence[Tile], limit: int, in_quarters: bool) -> object:
        if all(type(rows) is int for rows, _ in tiles):
            return fit(tiles, limit, in_quarters)
        return all_of(*(size <= limit for _, size in tiles))

    monkeypatch.setattr(placement, "fit", each_alone)
    assert "fails: mem.operands_fit" in differences(WHOLE, tmp_path)[0]


def test_kernels_of_the_campaign_are_the_same_each_time() -> None:
    assert subject_of(7, 3) == subject_of(7, 3) != subject_of(8, 3)
    assert any("assert" in subject_of(number, 3) for number in range(5))


def test_an_assert_that_is_not_said_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "unsaid", lambda program, texts, said: [])
    text = KERNEL.format(first="assert R <= 128 and C <= 512 and (C % 3 == 0 or C <= 4)")
    assert "is rejected: AssertionError" in differences(text, tmp_path)[0]


def test_what_the_kernel_does_not_check_itself_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivation, "enforced", lambda exploration, stated: True)
    assert "which the kernel checks itself" in differences(OWN, tmp_path)[0]


def test_a_bound_that_the_domain_does_not_have_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivation._Derivation, "_within_bounds", lambda self, found: replace(found, proved=True))
    assert "proved within a bound that the domain does not have" in differences(UNROLLED, tmp_path)[0]


def test_a_limit_that_no_contract_declares_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    capacity = CapacityLimits._capacity

    def of_any_bound(self: CapacityLimits, fixed: Mapping[Atom, int]) -> list[Candidate]:
        decisions = self._decisions
        rules = [replace(one.claim.contract, limit=True) for one in decisions]
        claims = [replace(one.claim, contract=rule) for one, rule in zip(decisions, rules, strict=True)]
        self._decisions = [replace(one, claim=claim) for one, claim in zip(decisions, claims, strict=True)]
        try:
            return capacity(self, fixed)
        finally:
            self._decisions = decisions

    monkeypatch.setattr(CapacityLimits, "_capacity", of_any_bound)
    assert "breaks idx.oob, which is no limit" in differences(COUNTED, tmp_path)[0]
