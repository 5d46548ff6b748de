"""A scripted editor is told what a check finds, where it is, and what can be done about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nkiverify.foundation.records import KernelAnswer, Run, Verdict
from nkiverify.products.editor.checks import Checked
from nkiverify.results import file as results_file
from tests.editor.client import Editor, editor
from tests.report.samples import run, session

KERNEL = '''\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def double(x):
    """Größe: twice the numbers."""
    P, F = x.shape
    out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    for p in nl.affine_range(P // 128):
        tile = nl.ndarray((128, F), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[p * 128 : (p + 1) * 128, :])
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=out[p * 128 : (p + 1) * 128, :], src=tile)
    return out
'''
LEGAL = KERNEL.replace("    out =", '    assert P % 128 == 0, f"{P}"\n    out =').replace("nl.affine_range", "range")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Editor, Path, list[dict[str, Any]]]]:
    """An editor with a kernel that does not check its shapes, and the diagnostics of it."""
    folder = tmp_path_factory.mktemp("repository").resolve()
    file = folder / "kernel.py"
    file.write_text(KERNEL)
    with editor(folder, tmp_path_factory.mktemp("cache")) as one:
        one.open(file)
        yield one, file, one.diagnostics(file)


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.splitlines()) if words in line)


def test_a_finding_is_shown_at_its_place_with_the_places_that_it_is_about(
    opened: tuple[Editor, Path, list[dict[str, Any]]],
) -> None:
    _, file, found = opened
    broken = next(one for one in found if one["code"] == "df.output_written")
    line = line_of(KERNEL, "dst=out[")
    assert broken["range"]["start"] == {"line": line, "character": 8}
    assert broken["range"]["end"] == {"line": line, "character": len(KERNEL.splitlines()[line])}
    assert broken["severity"] == 1
    assert broken["codeDescription"]["href"].endswith("/nki/get-started/nki-language-guide.html#:~:text=Creating")
    assert broken["message"].startswith("out[128, 0] is never written, for P = 129, F = 1\n")
    made = broken["relatedInformation"][0]
    assert made["message"] == "out is allocated here"
    assert made["location"]["uri"] == file.as_uri()
    assert made["location"]["range"]["start"]["line"] == line_of(KERNEL, "out = ")


def test_the_documented_language_is_warned_of(opened: tuple[Editor, Path, list[dict[str, Any]]]) -> None:
    _, _, found = opened
    deprecated = next(one for one in found if one["code"] == "lang.deprecated")
    assert (deprecated["severity"], deprecated["tags"]) == (2, [2])
    assert deprecated["range"]["start"]["line"] == line_of(KERNEL, "affine_range")


def test_a_line_above_the_kernel_says_for_which_shapes_it_is_legal(
    opened: tuple[Editor, Path, list[dict[str, Any]]],
) -> None:
    one, file, _ = opened
    (lens,) = one.ask("textDocument/codeLens", {"textDocument": {"uri": file.as_uri()}})
    assert lens["range"]["start"]["line"] == line_of(KERNEL, "def double")
    assert lens["command"]["title"].startswith("! is legal where P % 128 == 0; proved for all such shapes, 4 phases")


def test_hints_say_what_the_dimensions_are_and_the_domain_where_there_are_no_lines_above(
    opened: tuple[Editor, Path, list[dict[str, Any]]],
) -> None:
    one, file, _ = opened
    line = line_of(KERNEL, "def double")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    asked = {"textDocument": {"uri": file.as_uri()}, "range": whole}
    inferred, domain = one.ask("textDocument/inlayHint", asked)
    assert (inferred["label"], inferred["position"]) == ("bf16[P,F]", {"line": line, "character": len("def double(x")})
    assert domain["label"].startswith("! is legal where P % 128 == 0")
    assert domain["position"] == {"line": line, "character": len("def double(x):")}
    assert one.ask("textDocument/inlayHint", asked | {"range": {"start": whole["start"], "end": whole["start"]}}) == []


def hovered(one: Editor, file: Path, words: str, within: str) -> str:
    """What is shown of `words` in the line that has `within`."""
    line = line_of(file.read_text(), within)
    position = {"line": line, "character": file.read_text().splitlines()[line].index(words)}
    found = one.ask("textDocument/hover", {"textDocument": {"uri": file.as_uri()}, "position": position})
    return "" if found is None else str(found["contents"]["value"])


def test_a_tile_shows_its_shape_and_where_it_is_live(opened: tuple[Editor, Path, list[dict[str, Any]]]) -> None:
    one, file, _ = opened
    told = hovered(one, file, "tile", "nisa.tensor_scalar")
    assert "**tile** `bfloat16[128, F]` in SBUF" in told
    assert "2*F of 212984 bytes of a partition" in told
    first, last = line_of(KERNEL, "src=x[") + 1, line_of(KERNEL, "src=tile") + 1
    assert f"live at lines {first} to {last}: 8 bytes at most, for P = 512, F = 4" in told
    assert hovered(one, file, "nki", "import nki.isa") == ""
    assert "**out** `[129, 1]`, for P = 129, F = 1  \nstored at line 15; nothing stores some elements of it" in hovered(
        one, file, "out", "out = nl.ndarray"
    )


def test_a_finding_shows_its_rule_with_both_examples(opened: tuple[Editor, Path, list[dict[str, Any]]]) -> None:
    one, file, _ = opened
    told = hovered(one, file, "dst=out", "dst=out[")
    assert told.startswith("**df.output_written**: Every element")
    assert "[NKI language guide, Creating](https://" in told
    assert told.index("Wrong:\n```python") < told.index("Right:\n```python")


def actions(one: Editor, file: Path, shown: dict[str, Any]) -> dict[str, dict[str, Any]]:
    document = {"uri": file.as_uri()}
    asked = {"textDocument": document, "range": shown["range"], "context": {"diagnostics": [shown]}}
    found = one.ask("textDocument/codeAction", asked)
    return {
        action["title"]: action["edit"]["changes"][file.as_uri()][0] if "edit" in action else action["command"]
        for action in found
    }


def applied(text: str, edit: dict[str, Any]) -> str:
    lines = text.splitlines(keepends=True)
    start = edit["range"]["start"]
    assert edit["range"]["end"] == start
    line = lines[start["line"]]
    lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[start["character"] :]
    return "".join(lines)


def test_what_is_offered_makes_the_kernel_legal_or_accepts_the_finding(
    opened: tuple[Editor, Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    one, file, found = opened
    broken = next(one for one in found if one["code"] == "df.output_written")
    offered = actions(one, file, broken)
    assert list(offered) == [
        "Look for an edit that mends double",
        "Insert what double does not check: assert P % 128 == 0",
        "Accept df.output_written here, for a reason that you write",
    ]
    _, insert, accept = offered.values()
    other = file.with_name("other.py")
    other.write_text(applied(KERNEL, insert))
    one.open(other)
    assert [shown["code"] for shown in one.diagnostics(other)] == ["lang.deprecated"]
    lens = one.ask("textDocument/codeLens", {"textDocument": {"uri": other.as_uri()}})[0]
    assert lens["command"]["title"].startswith("✓ is legal where P % 128 == 0")
    # Without a reason nothing is accepted, and that is said at the comment.
    one.save(other, applied(KERNEL, accept))
    (refused,) = one.diagnostics(other)
    assert refused["code"] == "not-checked"
    assert "gives no reason" in refused["message"]
    assert refused["range"]["start"]["line"] == broken["range"]["start"]["line"]
    one.save(other, applied(KERNEL, accept).replace("_written] ", "_written] the caller pads"))
    lines = {shown["range"]["start"]["line"] for shown in one.diagnostics(other) if shown["code"] == broken["code"]}
    assert broken["range"]["start"]["line"] not in lines


def test_the_edit_that_mends_a_kernel_is_looked_for_when_it_is_chosen(
    opened: tuple[Editor, Path, list[dict[str, Any]]],
) -> None:
    one, file, _ = opened
    wrong, right = "src=x[p * 128 + 1 : (p + 1) * 128, :]", "src=x[p * 128 : (p + 1) * 128, :]"
    assert right in LEGAL
    other = file.with_name("mended.py")
    other.write_text(LEGAL.replace(right, wrong))
    one.open(other)
    broken = next(shown for shown in one.diagnostics(other) if shown["severity"] == 1)
    command = next(iter(actions(one, other, broken).values()))
    number = one.begin("workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]})
    sent = one.wait(lambda message: message.get("method") == "workspace/applyEdit")
    one.wait(lambda message: message.get("id") == number and "method" not in message)
    (edit,) = sent["params"]["edit"]["changes"][other.as_uri()]
    assert right in edit["newText"] and wrong not in edit["newText"]
    assert edit["range"]["end"]["line"] == edit["range"]["start"]["line"] + 1


def test_an_edit_ends_the_check_and_a_save_begins_another(
    opened: tuple[Editor, Path, list[dict[str, Any]]],
) -> None:
    one, file, _ = opened
    slow = file.with_name("slow.py")
    slow.write_text("while True:\n    pass\n" + KERNEL)
    one.open(slow)
    one.change(slow, LEGAL)
    one.save(slow, LEGAL)
    assert one.diagnostics(slow) == []
    assert any("the check of slow.py was ended" in line for line in one.logged)


def test_what_was_edited_since_the_check_is_offered_nothing(
    opened: tuple[Editor, Path, list[dict[str, Any]]],
) -> None:
    one, file, _ = opened
    other = file.with_name("moved.py")
    other.write_text(KERNEL)
    one.open(other)
    shown = next(found for found in one.diagnostics(other) if found["code"] == "df.output_written")
    one.change(other, "# a line more\n" + KERNEL)
    assert actions(one, other, shown) == {}
    asked = {"textDocument": {"uri": other.as_uri()}, "range": shown["range"]}
    assert one.ask("textDocument/codeLens", asked) == one.ask("textDocument/inlayHint", asked) == []


def test_a_file_without_kernels_has_nothing_to_say(opened: tuple[Editor, Path, list[dict[str, Any]]]) -> None:
    one, file, _ = opened
    other = file.with_name("plain.py")
    other.write_text("print('nothing of NKI')\n")
    one.open(other)
    assert one.diagnostics(other) == []
    one.save(other, "def broken(:\n")
    assert one.diagnostics(other) == []
    one.save(other, "import nki\n\n\ndef broken(:\n")
    (shown,) = one.diagnostics(other)
    assert (shown["code"], shown["range"]["start"]["line"]) == ("not-checked", 3)


def test_an_unchanged_file_is_not_checked_again_and_a_changed_one_is(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    file = folder / "kernel.py"
    file.write_text(KERNEL)
    with editor(folder, tmp_path / "cache") as one:
        one.open(file)
        first = one.diagnostics(file)
    with editor(folder, tmp_path / "cache") as one:
        one.open(file)
        assert one.diagnostics(file) == first
        file.write_text(LEGAL)
        one.notify("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})
        assert one.diagnostics(file) == []
    assert [line for line in one.logged if "has changed since" in line] == [
        "nkiverify: nothing that kernel.py depends on has changed since it was checked"
    ]


def run_of(verdict: Verdict, kernel: str = "k.py::first") -> Run:
    return replace(run(verdict=verdict), kernel=kernel)


@pytest.mark.parametrize(
    ("runs", "final"),
    [
        ([run_of(Verdict.SUCCESSFUL)], True),
        ([run_of(Verdict.SUCCESSFUL), run_of(Verdict.UNKNOWN)], False),
        ([], False),
        ([run_of(Verdict.SUCCESSFUL, "k.py::second")], False),
    ],
    ids=["concluded", "one phase open", "no verdict of it", "a verdict of another one"],
)
def test_what_is_open_is_checked_again(runs: list[Run], final: bool, tmp_path: Path) -> None:
    answered = KernelAnswer("first", "k.py", 1, "is legal for all shapes", True)
    results = results_file.of(session(*runs, answers=(answered,)))
    assert Checked(tmp_path, results).is_final is final
