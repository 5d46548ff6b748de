"""Which generation of the API a contract binds: what only the current pages say is not demanded of legacy kernels."""

from __future__ import annotations

import re

import pytest

from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.ir.contract import Contract
from nkiverify.model.contracts import all_contracts
from nkiverify.model.dtypes import int32
from tests.model.stub_library import broken, nisa, old_nisa, old_nl, old_sbuf, sbuf, uses

#: Pages of the legacy documentation, by the abbreviations of the survey, and hardware guides, which know no API.
LEGACY = re.compile(r"\b(L:|LPM|LERR|LSH|LKI|LDA|LRN)")
HARDWARE = re.compile(r"\bA[234]\b")
#: About the host's Python, the kernel as a whole, and what a target says of it.
NO_PAGE = ("host.", "kernel.", "target.")
#: What the current pages alone say and holds for legacy kernels all the same, and why.
ALSO = {
    "isa.kwargs_checked": "a legacy function that documents no **kwargs takes none either",
    "isa.operator_gen": "the legacy table of operators has none of these",
    "tensor.shape_positive": "there is no tensor without elements",
    "idx.keys": "there is no element that more keys than dimensions name",
    "idx.range": "a range names the same elements there",
    "idx.empty": "there is no tensor without elements",
    "idx.step_positive": "the extent of a slice that goes backwards is documented nowhere",
    "num.overflow": "numbers are computed by the same engines",
    "num.invalid": "numbers are computed by the same engines",
    "num.division": "numbers are computed by the same engines",
    "num.integer": "numbers are computed by the same engines",
    "num.masked": "numbers are computed by the same engines",
    "affine_select.false_fp32": "a value that is no number cannot be filled in",
}
#: Instructions that are called in another way in the legacy API (survey, f.1): what the current page says of the call
#: says nothing of it.
OTHER_FORM = ("affine_select", "iota", "memset")


def pages(rule: Contract) -> set[str]:
    """The pages that state a contract: `nc_matmul` and `RN-0.6` for "nc_matmul:Tile size; RN-0.6"."""
    return {re.split(r"[:\s(]", page.strip())[0] for page in re.split(r"[;,]", rule.source)}


def is_legacy_function(page: str) -> bool:
    """True if the legacy API has an instruction or function of this name, in the same form."""
    if page.startswith("nl."):
        return page[3:] in vars(old_nl)
    return page in vars(old_nisa) and page not in OTHER_FORM


def test_what_binds_legacy_kernels_is_said_of_them() -> None:
    bound = [rule for rule in all_contracts() if "neuronxcc" in rule.api and not rule.id.startswith(NO_PAGE)]
    unsaid = [
        rule.id
        for rule in bound
        if not (LEGACY.search(rule.source) or HARDWARE.search(rule.source) or any(map(is_legacy_function, pages(rule))))
    ]
    assert sorted(unsaid) == sorted(ALSO)


def test_what_binds_legacy_kernels_alone_is_said_of_them_alone() -> None:
    for rule in all_contracts():
        if rule.api == ("neuronxcc",):
            assert LEGACY.search(rule.source), rule.id


@pytest.fixture
def claimed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Contract]:
    """The contracts that are claimed, by id."""
    found: dict[str, Contract] = {}
    claim = ConcreteExecution.require

    def noted(run: ConcreteExecution, rule: Contract, condition: object, quantities: dict[str, object]) -> None:
        found[rule.id] = rule
        claim(run, rule, condition, quantities)

    monkeypatch.setattr(ConcreteExecution, "require", noted)
    return found


def test_legacy_stubs_claim_what_binds_them(claimed: dict[str, Contract]) -> None:
    for wrong in (False, True):
        for hardware, kernel in uses("legacy.py", "legacy_selection.py", wrong=wrong):
            broken(kernel, hardware)
    assert len(claimed) > 80
    assert [rule.id for rule in claimed.values() if "neuronxcc" not in rule.api] == []


def test_a_rule_of_the_current_api_binds_its_own_instruction_alone() -> None:
    """nc_find_index8 gives uint16 or uint32 now; the legacy page says nothing of its `dtype`."""
    assert broken(lambda: nisa.nc_find_index8(sbuf(2, 8, dtype=int32), sbuf(2, 8), sbuf(2, 8))) == ["find8.dst_dtype"]
    assert broken(lambda: old_nisa.nc_find_index8(data=old_sbuf(2, 8), vals=old_sbuf(2, 8), dtype=int32)) == []
    # The rule is back where a legacy call has ended with an error.
    assert broken(lambda: old_nisa.nc_find_index8(data=old_sbuf(2, 8), vals=old_sbuf(2, 7))) == ["find8.vals"]
    assert broken(lambda: nisa.nc_find_index8(sbuf(2, 8, dtype=int32), sbuf(2, 8), sbuf(2, 8))) == ["find8.dst_dtype"]
