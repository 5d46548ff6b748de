"""Every documented rule is a contract, is stated by one of another name, or is left out for a reason that is given."""

from __future__ import annotations

from pathlib import Path

from nkiverify.foundation.resources import root
from nkiverify.model.contracts import all_contracts
from nkiverify.model.documented_facts import CONTRADICTED, LEFT_OUT, STATED_BY

#: A line for each documented rule, with its kind: MUST, a precondition; UB, undefined or silently wrong; RT, an error
#: at run time; CONTRA, documents that disagree.
SURVEY = Path(__file__).with_name("survey.txt")


def facts(*tags: str) -> set[str]:
    """The ids of the facts that have one of these tags."""
    lines = (line.split() for line in SURVEY.read_text(encoding="utf-8").splitlines())
    return {name for name, tag in lines if tag in tags}


def accounted() -> set[str]:
    """The ids of the rules that are accounted for."""
    return {contract.id for contract in all_contracts()} | STATED_BY.keys() | LEFT_OUT.keys()


def test_every_rule_of_the_survey_is_accounted_for() -> None:
    assert facts("MUST", "UB", "RT") - accounted() == set()


def test_what_is_said_to_be_left_out_is_in_the_survey() -> None:
    assert (STATED_BY.keys() | LEFT_OUT.keys()) - facts("MUST", "UB", "RT", "CONTRA") == set()
    assert STATED_BY.keys() & LEFT_OUT.keys() == set()


def test_both_readings_of_every_contradiction_are_told() -> None:
    text = (root() / "AUDIT.md").read_text(encoding="utf-8")
    readings = text[text.index("## How the documents are read") : text.index("## Findings")]
    assert {fact for fact in facts("CONTRA") | CONTRADICTED if f"`{fact}`" not in readings} == set()


def test_facts_are_stated_by_contracts_that_exist() -> None:
    named = {rule for rules in STATED_BY.values() for rule in rules}
    assert named - {contract.id for contract in all_contracts()} == set()
