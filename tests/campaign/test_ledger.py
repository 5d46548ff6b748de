"""The ledger runs subjects on the tool of a checkout by its commands alone, and tells changes of verdicts apart."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lab.ledger import comparing
from lab.ledger.__main__ import main
from lab.ledger.comparing import FLIPPED, GAINED, GONE, LOST, NEW, OTHER_SUBJECT, REWORDED
from lab.ledger.lines import Line, Phase, lines_of
from lab.ledger.subjects import ROOT, Subject, sampled
from lab.ledger.writing import write

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def copy(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


def _phase(word: str) -> Phase:
    if word == "bounded":
        return Phase("SUCCESSFUL", "bounded", "bounded 8")
    if word == "not replayed":
        return Phase("FAILED", word, word)
    return Phase(word, "", "")


def _line(phase: Phase | None, *, status: int = 0, said: str = "", digest: str = "1") -> dict[str, Line]:
    return {"a/b": Line("a/b", digest, status, {} if phase is None else {"1": phase}, said, 1.0)}


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("SUCCESSFUL", "FAILED", FLIPPED),
        ("FAILED", "SUCCESSFUL", FLIPPED),
        ("bounded", "FAILED", FLIPPED),
        ("SUCCESSFUL", "ERROR", FLIPPED),
        ("SUCCESSFUL", "bounded", LOST),
        ("SUCCESSFUL", "UNKNOWN", LOST),
        ("FAILED", "VACUOUS", LOST),
        ("FAILED", "not replayed", LOST),
        ("bounded", "UNKNOWN", LOST),
        ("UNKNOWN", "SUCCESSFUL", GAINED),
        ("bounded", "SUCCESSFUL", GAINED),
        ("UNKNOWN", "FAILED", GAINED),
        ("UNKNOWN", "bounded", GAINED),
    ],
)
def test_change_of_a_verdict(before: str, after: str, kind: str) -> None:
    found = comparing.compared(_line(_phase(before)), _line(_phase(after)))
    assert [one.kind for one in found.changes] == [kind]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (_line(_phase("SUCCESSFUL")), {}, GONE),
        ({}, _line(_phase("SUCCESSFUL")), NEW),
        (_line(_phase("SUCCESSFUL")), _line(_phase("FAILED"), digest="2"), OTHER_SUBJECT),
        (_line(_phase("SUCCESSFUL")), _line(_phase("SUCCESSFUL"), status=3), REWORDED),
        (_line(None, status=0), _line(None, status=1), FLIPPED),
        (_line(None, said="legal where K <= 8"), _line(None, said="legal where K <= 9"), REWORDED),
        (_line(Phase("FAILED", "", "", (("a:1", "{}"),))), _line(Phase("FAILED", "", "", (("a:2", "{}"),))), REWORDED),
        (_line(Phase("SUCCESSFUL", "", "")), _line(Phase("SUCCESSFUL", "", "", (), ("df.x:3",))), REWORDED),
    ],
)
def test_other_changes(before: dict[str, Line], after: dict[str, Line], kind: str) -> None:
    assert [one.kind for one in comparing.compared(before, after).changes] == [kind]


def test_equal_ledgers_have_no_changes() -> None:
    line = _line(Phase("FAILED", "", "", (("a:1", "{}"),)), said="x", status=1)
    assert comparing.compared(line, dict(line)).changes == []
    assert Line.read(line["a/b"].written()) == line["a/b"]


def test_reviewed_changes_are_counted_with_their_argument(tmp_path: Path) -> None:
    before, after, reviewed = tmp_path / "before", tmp_path / "after", tmp_path / "reviewed"
    before.write_text(_line(_phase("SUCCESSFUL"))["a/b"].written() + "\n")
    after.write_text(_line(_phase("FAILED"))["a/b"].written() + "\n")
    words = ["diff", str(before), str(after), "--no-shapes"]
    assert main(words) == 1
    reviewed.write_text("# of this change\na/* | the rule was wrong\n")
    assert main([*words, "--reviewed", str(reviewed)]) == 0
    reviewed.write_text("b/* | another\n")
    assert main([*words, "--reviewed", str(reviewed)]) == 1


def test_subjects_are_run_by_commands(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    checked = ("check", "kernel.py::copy", "--no-cache", "--arg")
    pair = ("equiv", "kernel.py::copy", "kernel.py::copy", "--arg", "x=f32[4,8]")
    subjects = [
        Subject("a/legal", tmp_path, (*checked, "x=f32[P:1..128,8]"), "1"),
        Subject("a/illegal", tmp_path, (*checked, "x=f32[P:1..129,8]"), "2"),
        Subject("a/mistyped", tmp_path, (*checked, "y=f32[4,8]"), "3"),
        Subject("a/pair", tmp_path, pair, "4", results=False),
    ]
    lines: list[Line] = []
    write(subjects, ROOT, lines.append)
    found = {line.subject: line for line in lines}
    assert {name: line.status for name, line in found.items()} == {
        "a/legal": 0,
        "a/illegal": 1,
        "a/mistyped": 2,
        "a/pair": 0,
    }
    assert {phase.word for phase in found["a/legal"].phases.values()} == {"SUCCESSFUL"}
    ((rule, witness),) = found["a/illegal"].phases["1"].rules
    assert rule.startswith("mem.partitions_128") and "129" in witness
    assert "EQUAL" in found["a/pair"].said and found["a/pair"].seconds > 0


def test_what_processes_of_commands_import_late_is_there_before_commands_are_timed() -> None:
    shown = "import runpy, sys; runpy.run_path(sys.argv[1])['_load'](); print(*sys.modules)"
    command = [sys.executable, "-c", shown, str(ROOT / "lab" / "ledger" / "starter.py")]
    loaded = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    assert "nkiverify.analysis.sets.flow" in loaded


def test_a_tenth_has_some_of_every_group() -> None:
    subjects = [Subject(f"{group}/{number}", ROOT, (), "") for group in "ab" for number in range(25)]
    subjects.append(Subject("c", ROOT, ("run",), "", tuple(f"t{number}" for number in range(25))))
    chosen = sampled(subjects, 10)
    assert [one.name for one in chosen] == ["a/0", "a/10", "a/20", "b/0", "b/10", "b/20", "c"]
    assert chosen[-1].words == ("run", "t0", "t10", "t20") == ("run", *chosen[-1].targets)


def test_targets_share_the_processor_time_of_their_command(tmp_path: Path) -> None:
    runs = [
        {
            "target": name,
            "phase": 1,
            "milliseconds": milliseconds,
            "verdict": "SUCCESSFUL",
            "qualifier": "",
            "reason": "",
        }
        | {"violations": [], "warnings": []}
        for name, milliseconds in (("a", 3000), ("b", 1000))
    ]
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"runs": runs}), encoding="utf-8")
    subject = Subject("manifest", tmp_path, (), "", ("a", "b"))
    lines = list(lines_of(subject, {"status": 0, "seconds": 2.0}, results, ""))
    assert [(line.subject, line.seconds) for line in lines] == [("manifest/a", 1.5), ("manifest/b", 0.5)]
