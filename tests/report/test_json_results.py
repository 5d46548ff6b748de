"""results.json says what the session says, in the documented format."""

from __future__ import annotations

import json
import re
import stat
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lab.audit import with_records
from nkiverify.cli.main import main
from nkiverify.foundation import resources
from nkiverify.foundation.records import KernelAnswer, Kind, Remark, Run, Verdict, Violation
from nkiverify.phases import PHASES
from nkiverify.results import codec as json_results
from nkiverify.results import file
from nkiverify.results.session import Session
from tests.report.samples import refuted, run, session

SCHEMA: dict[str, Any] = json.loads(resources.schema().read_text(encoding="utf-8"))

SESSIONS = [
    session(),
    session(run(), refuted(), not_run=("later",), interrupted=True),
    session(*(run(kind=kind, verdict=verdict, expected=None) for kind in Kind for verdict in Verdict)),
]


def parsed(of: Session) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(json_results.text(of))
    return result


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("sample", SESSIONS)
def test_results_conform_to_the_schema(sample: Session) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(parsed(sample))


def test_what_is_said_of_kernels_is_read_back_as_it_was() -> None:
    remark = Remark("k.py", 9, 4, "lang.no_is", "`is` is no part of the language")
    said = KernelAnswer("k", "k.py", 6, "is legal for all shapes", True, ("x=bf16[P]",), ("assert P",), 7, (remark,))
    sample = session(run(), answers=(said, KernelAnswer("other", "k.py", 0, "was not checked", False)))
    jsonschema.Draft202012Validator(SCHEMA).validate(parsed(sample))
    assert file.parsed(json_results.text(sample), "r.json").answers == sample.answers


def test_the_schema_refuses_what_is_no_result() -> None:
    wrong = parsed(session(run()))
    wrong["runs"][0]["verdict"] = "PASSED"
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(wrong)


def test_nothing_that_a_run_or_a_violation_knows_is_left_out() -> None:
    entry = parsed(session(refuted()))["runs"][0]
    assert entry.keys() == {field.name for field in fields(Run)} | {"as_expected"}
    assert entry["violations"][0].keys() == {field.name for field in fields(Violation)}


def test_every_reference_of_the_schema_is_to_a_definition() -> None:
    assert set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(SCHEMA))) <= set(SCHEMA["$defs"])


def test_the_enumerations_of_the_schema_are_those_of_the_program() -> None:
    schema = resources.schema().read_text(encoding="utf-8")
    assert with_records(schema) == schema


#: Kernels, and what is typed, for results of every phase and verdict.
RESULTS = {
    "copy": "nisa.activation(dst=tile, op=nl.copy, data=tile)",
    "exponential": "nisa.activation(dst=tile, op=nl.exp, data=tile)",
    "reciprocal": "nisa.reciprocal(dst=tile, data=tile)",
    "slice": "nisa.memset(tile[:, 0:65], 0.0)",
    "unread": "nisa.memset(nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf), 0.0)",
    "unknown": "x.reinterpret_cast(nl.int32)",
    "contested": "nisa.tensor_copy(tile, tile, engine=5)",
    "unwritten": "nisa.tensor_copy(tile, nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf))",
}


@pytest.mark.parametrize("argument", ["x=f32[128,64] in -1..1", "x=f32[P:1..128,64]", "x=f32[128,64]"])
@pytest.mark.parametrize("body", RESULTS.values(), ids=RESULTS)
def test_results_of_every_phase_conform_to_the_schema(
    body: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "k.py").write_text(
        "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n@nki.jit\ndef kernel(x):\n"
        "    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)\n"
        "    tile = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)\n    nisa.dma_copy(dst=tile, src=x)\n"
        f"    {body}\n    nisa.dma_copy(dst=out, src=tile)\n    return out\n"
    )
    monkeypatch.chdir(tmp_path)
    phases = ("--phase", ",".join(map(str, PHASES)))
    main(["check", "k.py::kernel", "--arg", argument, *phases, "--json", "r.json", "--no-cache"])
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert [run["phase"] for run in found["runs"]] == list(PHASES)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)


def test_paths_inside_the_root_are_relative_to_it_and_others_are_not() -> None:
    violation = parsed(session(refuted()))["runs"][0]["violations"][0]
    assert violation["file"] == "kernels/matmul_tiled.py"
    assert violation["stub"] == "stubs/nki/isa/data.py:40"
    elsewhere = parsed(session(refuted(), root=Path("/other")))["runs"][0]["violations"][0]
    assert elsewhere["file"] == "/checkout/kernels/matmul_tiled.py"


def test_text_that_is_not_valid_unicode_is_written(tmp_path: Path) -> None:
    odd = session(run(reason="\udcff \u2713 \x00"))
    json_results.write(json_results.text(odd), tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["runs"][0]["reason"] == "\udcff \u2713 \x00"


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.json"
    json_results.write("old", path)
    json_results.write("new", path)
    assert path.read_text() == "new"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_can_be_read_by_whom_the_umask_lets(tmp_path: Path) -> None:
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    json_results.write("", tmp_path / "results.json")
    assert stat.S_IMODE((tmp_path / "results.json").stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.json"
    json_results.write("old", path)

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        json_results.write("new", path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_written_through_and_a_device_is_not_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    link.symlink_to(real)
    json_results.write("text", link)
    assert link.is_symlink() and real.read_text() == "text"
    device = Path("/dev/null")
    json_results.write("text", device)
    assert device.is_char_device()
