"""Findings that the user accepts: in the kernel, in the settings, on the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.check.kernel_files import Checker, write

KERNEL = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(a):
        P, F = a.shape
        out = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.shared_hbm)
        one = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
        two = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=one, src=a)
        {body}
        nisa.dma_copy(dst=out, src=two)
        return out


    @nki.jit
    def other(a):
        return kernel(a)  # nkiverify: ignore[tensor_copy.shape] another kernel's
"""
#: Breaks tensor_copy.shape, and with F = 2 nothing else.
WIDER = "nisa.tensor_copy(two, one[:, 0:2])"
COMMENT = "  # nkiverify: ignore[{}] the vendor says so"
FIXED = ("--arg", "a=f32[128,4]")
SYMBOLIC = ("--arg", "a=f32[P,F]", "--where", "P <= 128 and 2 <= F <= 512")


def run(check: Checker, body: str, *words: str) -> int:
    """The exit status of checking the kernel with these lines in it."""
    write(check.folder, k=KERNEL.format(body=body.replace("\n", "\n        ")))
    return check("k.py::kernel", *words)


def runs(check: Checker) -> dict[int, dict[str, Any]]:
    """The runs of the results that were written last, by phase."""
    return {one["phase"]: one for one in json.loads((check.folder / "r.json").read_text())["runs"]}


@pytest.mark.parametrize("words", [FIXED, SYMBOLIC])
def test_a_comment_accepts_what_its_line_breaks(check: Checker, words: tuple[str, ...]) -> None:
    assert run(check, WIDER, *words) == 1
    assert run(check, WIDER + COMMENT.format("tensor_copy.shape"), *words, "--json", "r.json") in (0, 1)
    told = runs(check)[1]
    assert told["verdict"] == "SUCCESSFUL" and told["qualifier"] == "1 accepted"
    (one,) = told["accepted"]
    assert (one["rule"], one["line"], one["reason"]) == ("tensor_copy.shape", 13, "the vendor says so")
    assert one["source"] == "k.py:13" and one["message"]
    assert "Accepted findings" in check.out and "tensor_copy.shape at k.py:13" in check.out
    assert check.out.splitlines()[-1].endswith("1 accepted")
    assert runs(check)[2]["qualifier"] == "with what is accepted in phase 1"


def test_what_is_accepted_decides_no_other_verdict(check: Checker) -> None:
    both = WIDER + COMMENT.format("tensor_copy.shape") + "\n" + WIDER
    assert run(check, both, *FIXED, "--phase", "1") == 1
    assert "at       k.py:14" in check.out and "at       k.py:13" not in check.out
    assert run(check, "nisa.tensor_copy(two, a)" + COMMENT.format("tensor_copy.shape"), *FIXED, "--phase", "1") == 1
    assert "\n  tensor_copy.buffers: " in check.out


def test_what_follows_is_modelled_as_if_the_rule_did_not_exist(check: Checker) -> None:
    body = "nisa.dma_copy(dst=two, src=one, dge_mode=nisa.dge_mode.hwdge)\nnisa.tensor_copy(two, one[:, 0:F])"
    assert run(check, body + COMMENT.format("tensor_copy.shape"), *FIXED) == 0, check.out
    past = "nisa.tensor_copy(two, one[:, 0:F + 1])"
    assert run(check, past, *FIXED) == 1
    assert run(check, past + COMMENT.format("idx.oob"), *FIXED, "--phase", "1") == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [("nisa.tensor_copy(\n    two,\n    one[:, 0:2],{}\n)", ""), ("nisa.tensor_copy(\n    two, one[:, 0:2]\n){}", "")],
)
def test_a_comment_is_about_its_whole_statement(check: Checker, before: str, after: str) -> None:
    comment = COMMENT.format("tensor_copy.shape, tensor_copy.buffers")
    assert run(check, before.format(comment) + after, *FIXED, "--phase", "1") == 0, check.out
    assert "1 accepted" in check.out


def test_a_comment_is_not_about_the_body_of_its_statement(check: Checker) -> None:
    body = "for i in range(1):" + COMMENT.format("tensor_copy.shape") + "\n    " + WIDER
    assert run(check, body, *FIXED, "--phase", "1") == 1
    assert "tensor_copy.shape: " in check.out and "accepted" not in check.out


def test_options_and_settings_accept_wherever_it_is(check: Checker) -> None:
    twice = WIDER + "\n" + WIDER
    assert run(check, twice, *FIXED, "--phase", "1", "--ignore", "tensor_copy.shape") == 0, check.out
    assert "2 accepted" in check.out and "--ignore" in check.out
    settings = '[project]\nname = "mine"\n[tool.nkiverify]\nignore = { "tensor_copy.shape" = "as the vendor" }\n'
    (check.folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    assert run(check, twice, *FIXED, "--phase", "1") == 0, check.out
    assert "2 accepted" in check.out and "[as the vendor]" in check.out and "pyproject.toml" in check.out


def test_findings_of_every_phase_can_be_accepted(check: Checker) -> None:
    assert run(check, "pass", *FIXED) == 1
    assert "df.read_unwritten" in check.out
    status = run(check, "pass", *FIXED, "--ignore", "df.read_unwritten", "--json", "r.json")
    assert (status, runs(check)[4]["verdict"]) == (0, "SUCCESSFUL"), check.out
    assert [one["rule"] for one in runs(check)[4]["accepted"]] == ["df.read_unwritten"]
    # Of all shapes it is proved up to a bound only.
    assert run(check, "pass", *SYMBOLIC, "--ignore", "df.read_unwritten") == 3, check.out
    assert run(check, "pass", *SYMBOLIC, "--ignore", "df.read_unwritten", "--accept", "bounded") == 0, check.out
    place = "{} = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))\nnisa.tensor_copy({}, one)"
    placed = place.format("two", "two") + "\n" + place.format("three", "three")
    assert run(check, placed, *FIXED) == 1
    assert "mem.placed_overlap: " in check.out
    assert run(check, placed, *FIXED, "--ignore", "mem.placed_overlap", "--json", "r.json") == 0, check.out
    assert [one["rule"] for one in runs(check)[3]["accepted"]] == ["mem.placed_overlap"]
    assert run(check, "nisa.tensor_copy(two, one)\nx = 2**31", *FIXED) == 1
    assert run(check, "nisa.tensor_copy(two, one)\nx = 2**31" + COMMENT.format("host.int32"), *FIXED) == 0, check.out


def test_an_accepted_read_of_unwritten_elements_hides_no_unwritten_output(check: Checker) -> None:
    body = "two = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.shared_hbm)\nout = two\nreturn out"
    assert run(check, body, *FIXED, "--ignore", "df.read_unwritten") == 1
    assert "df.output_written" in check.out


@pytest.mark.parametrize("words", [FIXED, SYMBOLIC])
def test_an_accepted_read_hides_no_later_one_of_what_comes_to_the_same_element(
    check: Checker, words: tuple[str, ...]
) -> None:
    accepted = COMMENT.format("df.read_unwritten")
    body = f"new = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)\nnisa.tensor_copy(two, new){accepted}"
    assert run(check, body, *words, "--accept", "bounded") == 0, check.out
    assert run(check, body + "\nnisa.tensor_tensor(two, two, new, op=nl.add)", *words) == 1
    assert "FAILED" in check.out and "nisa.tensor_tensor" in check.out


def test_an_accepted_read_hides_nothing_that_data_choose(check: Checker) -> None:
    accepted = COMMENT.format("df.read_unwritten")
    body = f"""\
new = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
some = nl.ndarray((P, F), dtype=nl.uint8, buffer=nl.sbuf)
more = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.shared_hbm)
nisa.tensor_copy(some, one)
nisa.tensor_copy(two, one)
nisa.dma_copy(dst=more, src=new){accepted}
"""
    ends = "nisa.dma_copy(dst=out, src=two)\nreturn out, more"
    assert run(check, body + ends, *FIXED) == 0, check.out
    chosen = "nisa.tensor_copy_predicated(dst=two, src=new, predicate=some)\n"
    assert run(check, body + chosen + ends, *FIXED) == 3, check.out


def test_warnings_and_findings_of_the_language_can_be_accepted(check: Checker) -> None:
    body = "nisa.memset(two, 0.0){}\nnisa.tensor_copy(two, one)\nassert one is not None{}"
    assert run(check, body.format("", ""), *FIXED, "-W", "error") == 1
    assert "df.overwritten" in check.out and "lang.no_is" in check.out
    comments = COMMENT.format("df.overwritten"), COMMENT.format("lang.no_is")
    assert run(check, body.format(*comments), *FIXED, "-W", "error") == 0, check.out
    assert check.out.splitlines()[-1] == "no contract is violated, 2 accepted"


def test_an_error_of_all_warnings_counts_what_is_outside_the_language(check: Checker) -> None:
    body = "nisa.tensor_copy(two, one)\nassert one is not None"
    assert run(check, body, *FIXED) == 0
    assert run(check, body, *FIXED, "-W", "error") == 1
    assert "FAILED (language): 1 place" in check.out
    assert run(check, body, *FIXED, "-W", "error=lang.no_is") == 1
    assert run(check, body, *FIXED, "-W", "error=df.unused") == 0
    assert run(check, body, *FIXED, "--strict-language", "-W", "ignore=lang.no_is") == 0
    assert "lang.no_is" not in check.out


def test_an_ignore_that_matches_nothing_is_a_warning(check: Checker) -> None:
    unused = "nisa.tensor_copy(two, one)" + COMMENT.format("tensor_copy.shape")
    assert run(check, unused, *FIXED) == 0
    assert "ignore.unused at k.py:13: ignore[tensor_copy.shape] matches no finding here" in check.out
    assert "4 SUCCESSFUL, 1 warning" in check.out and "k.py:20" not in check.out
    assert run(check, unused, *FIXED, "-W", "error") == 1
    assert check.out.splitlines()[-1] == "FAILED (warnings): 1 warning, ignore.unused, which -W error makes fail"
    assert run(check, unused, *FIXED, "-W", "error", "-W", "ignore=ignore.unused") == 0
    # What was not looked for may be there.
    assert run(check, unused, *FIXED, "--phase", "2", "-W", "error") == 0
    assert run(check, "nisa.tensor_copy(two, one)", *FIXED, "--ignore", "mem.psum_bank_start", "-W", "error") == 1


BAD = {
    "no reason": (WIDER + "  # nkiverify: ignore[tensor_copy.shape]", "gives no reason"),
    "no rule": (WIDER + "  # nkiverify: ignore because", "names its rule"),
    "an unknown rule": (WIDER + COMMENT.format("tensor_copy.shap"), "did you mean tensor_copy.shape?"),
    "what decides bounds": (WIDER + COMMENT.format("host.unwinding"), "there is no rule 'host.unwinding' to ignore"),
}


@pytest.mark.parametrize(("body", "told"), BAD.values(), ids=BAD.keys())
def test_an_ignore_that_cannot_be_used_is_one_line(check: Checker, body: str, told: str) -> None:
    assert run(check, body, *FIXED) == 2
    assert check.out == "" and len(check.err.splitlines()) == 1
    assert told in check.err and "k.py:13" in check.err


@pytest.mark.parametrize("setting", ['{ "tensor_copy.shape" = "" }', '["tensor_copy.shape"]', '{ "tensor.x" = "y" }'])
def test_a_setting_that_cannot_be_used_is_one_line(check: Checker, setting: str) -> None:
    (check.folder / "pyproject.toml").write_text(f"[tool.nkiverify]\nignore = {setting}\n", encoding="utf-8")
    assert run(check, WIDER, *FIXED) == 2
    assert len(check.err.splitlines()) == 1 and "pyproject.toml" in check.err
