"""Every documented rule is a contract, is stated by one of another name, or is left out for a reason that is given."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from nkiverify.foundation.resources import root
from nkiverify.model import contract_tables as _contract_tables  # noqa: F401 (registers the contracts)
from nkiverify.model.contracts import all_contracts
from nkiverify.model.facts import CONTRADICTED, LEFT_OUT, STATED_BY

SURVEY = Path(__file__).parents[3] / "shared" / "reference" / "nki-contracts.md"
FACT = re.compile(r"`([a-z_0-9]+(?:\.[a-z_0-9A-Z]+)+)` ((?:MUST|UB|RT|CONTRA)\b[^`]*)")
#: What all of the survey's rules have been compared with, where it is not beside the repository.
DIGEST = "a4e441474242f54fb241cd1739e53e9d5c477b65804f37c0481f4e2a39be9d86"

beside = pytest.mark.skipif(not SURVEY.is_file(), reason="the survey is not beside the repository")


def facts(*tags: str) -> set[str]:
    """The ids of the facts that have one of these tags."""
    return {name for name, text in FACT.findall(SURVEY.read_text(encoding="utf-8")) if text.startswith(tags)}


def accounted() -> set[str]:
    """The ids of the rules that are accounted for."""
    return {contract.id for contract in all_contracts()} | STATED_BY.keys() | LEFT_OUT.keys()


@beside
def test_every_rule_of_the_survey_is_accounted_for() -> None:
    assert facts("MUST", "UB", "RT") - accounted() == set()


@beside
def test_what_is_said_to_be_left_out_is_in_the_survey() -> None:
    assert (STATED_BY.keys() | LEFT_OUT.keys()) - facts("MUST", "UB", "RT", "CONTRA") == set()
    assert STATED_BY.keys() & LEFT_OUT.keys() == set()


@beside
def test_the_rules_are_those_compared_last() -> None:
    rules = "\n".join(sorted(facts("MUST", "UB", "RT")))
    assert hashlib.sha256(rules.encode()).hexdigest() == DIGEST


@beside
def test_both_readings_of_every_contradiction_are_told() -> None:
    text = (root() / "AUDIT.md").read_text(encoding="utf-8")
    readings = text[text.index("## How the documents are read") : text.index("## Findings")]
    assert {fact for fact in facts("CONTRA") | CONTRADICTED if f"`{fact}`" not in readings} == set()


def test_facts_are_stated_by_contracts_that_exist() -> None:
    named = {rule for rules in STATED_BY.values() for rule in rules}
    assert named - {contract.id for contract in all_contracts()} == set()
