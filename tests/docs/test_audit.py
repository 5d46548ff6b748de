"""AUDIT.md: its tables are current, and its findings are there."""

from __future__ import annotations

import re

import pytest

from lab.audit import sections, with_section
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.resources import root
from nkiverify.model.contracts import all_contracts
from nkiverify.model.documented_facts import CONTRADICTED
from nkiverify.project.manifest_targets import load_targets

CLAIM = re.compile(r"`(?P<target>\w+)` (?P<verdict>FAILED|SUCCESSFUL)(?P<contracts>(?:,? `[\w.]+`)*)")


def text() -> str:
    return (root() / "AUDIT.md").read_text(encoding="utf-8")


def findings() -> list[tuple[str, str, set[str]]]:
    """Target, verdict and contracts of every finding."""
    told = "; ".join(re.findall(r"- \*\*Targets\.\*\* (.*?)\n\n", text(), flags=re.DOTALL))
    return [
        (claim["target"], claim["verdict"], set(re.findall(r"`([^`]+)`", claim["contracts"])))
        for claim in CLAIM.finditer(" ".join(told.split()))
    ]


def test_the_tables_are_up_to_date() -> None:
    for page, found in sections().items():
        now = page.read_text(encoding="utf-8")
        for name, content in found.items():
            assert now == with_section(now, name, content), "run `make pages`"


def test_every_contract_is_listed_with_its_source() -> None:
    listed = (root() / "docs" / "contracts.md").read_text(encoding="utf-8")
    for contract in all_contracts():
        assert f"| `{contract.id}` | " in listed
        assert contract.source


def test_every_target_that_is_a_finding_is_told() -> None:
    # That they are what the verifier finds, tests/corpus/test_manifest.py sees.
    told = {target for target, _, _ in findings()}
    assert len(findings()) > 30
    targets = load_targets()
    assert {target.name for target in targets if {"finding", "published-inputs"} & set(target.tags)} <= told
    assert told <= {target.name for target in targets}


def test_contracts_and_targets_that_are_named_exist() -> None:
    ids = {contract.id for contract in all_contracts()}
    areas = {contract_id.partition(".")[0] for contract_id in ids}
    readings = text().partition("## How the documents are read")[2].partition("## Findings")[0]
    named = {
        name
        for name in re.findall(r"`([a-z_0-9]+\.[a-z_0-9.*]+)`", readings)
        if name.partition(".")[0] in areas - {"nl", "nki"}
    }
    assert named
    for name in named - CONTRADICTED:
        assert name in ids or any(contract_id.startswith(name.rstrip("*")) for contract_id in ids), name


def test_a_section_is_replaced_and_what_is_around_it_stays() -> None:
    before = "a\n<!-- x: by `me` -->\nold\n<!-- end of x -->\nb\n"
    after = "a\n<!-- x: by `me` -->\n\nnew\n\n<!-- end of x -->\nb\n"
    assert with_section(before, "x", "new") == after
    assert with_section(after, "x", "new") == after


def test_a_missing_section_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="there is no section y"):
        with_section("<!-- x: -->\n<!-- end of x -->", "y", "")
