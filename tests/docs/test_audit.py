"""AUDIT.md: its tables are current, and its findings are what the verifier finds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from lab.audit import sections, with_section
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.resources import root
from nkiverify.model.contracts import all_contracts
from nkiverify.model.facts import CONTRADICTED
from nkiverify.project.manifest import load_targets

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


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The runs of all targets that findings name."""
    results = tmp_path_factory.mktemp("results") / "results.json"
    names = sorted({target for target, _, _ in findings()})
    command = [sys.executable, "verify.py", *names, "--engine", "embedded", "--json", str(results)]
    done = subprocess.run(command, cwd=root(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: list[dict[str, Any]] = json.loads(results.read_text(encoding="utf-8"))["runs"]
    return found


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
    told = {target for target, _, _ in findings()}
    marked = {target.name for target in load_targets() if {"finding", "published-inputs"} & set(target.tags)}
    assert marked <= told


def test_findings_are_what_the_verifier_finds(runs: list[dict[str, Any]]) -> None:
    assert len(findings()) > 30
    for target, verdict, contracts in findings():
        mine = [run for run in runs if run["target"] == target]
        assert {(run["target"], run["verdict"], run["qualifier"]) for run in mine} == {(target, verdict, "")}
        found = {violation["contract"] for run in mine for violation in run["violations"]}
        assert contracts <= found, target


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
