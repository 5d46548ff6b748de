"""Every kernel in `tests/soundness/kernels` has the verdicts that its header expects, and the headers are checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lab.kernel_files import Concrete, HeaderError, answer, complaints, contradicted, kernel_files, read_header
from nkiverify.foundation.records import Verdict

KERNELS = Path(__file__).parent / "kernels"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", kernel_files(KERNELS), ids=lambda path: str(path.relative_to(KERNELS).with_suffix("")))
def test_verdicts_are_those_of_the_header(path: Path) -> None:
    found = complaints(path)
    assert not found, "\n".join((str(path), *found))


def test_helpers_of_kernels_are_no_kernels(tmp_path: Path) -> None:
    for name in ("a/one.py", "a/_shared.py", "a/pack/__init__.py", "a/pack/deep/two.py", "two.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert [str(path.relative_to(tmp_path)) for path in kernel_files(tmp_path)] == ["a/one.py", "two.py"]


@pytest.mark.parametrize(
    ("header", "line", "said"),
    [
        ("", 1, "there is no `# expect:"),
        ("# dims: 0..", 1, "there is no `# expect:"),
        ("# expect: 1 FAILED", 1, "neither `# args:`"),
        ("# expct: 1 FAILED\n# dims: 0..", 1, "a header line begins with `# expect:`"),
        ("# expect: 1 FAILED\n# a remark\n# dims: 0..", 2, "a header line begins with `# expect:`"),
        ("# expect: FAILED\n# dims: 0..", 1, "`# expect:` has a phase of 1 to 5 and a verdict, not 'FAILED'"),
        ("# expect: 6 FAILED\n# dims: 0..", 1, "`# expect:` has a phase of 1 to 5"),
        ("# expect: 1 PASSED\n# dims: 0..", 1, "PASSED is no verdict: SUCCESSFUL"),
        ("# expect: 1 FAILED idx.oob:x\n# dims: 0..", 1, "a finding is a rule, rule:line, or :line, not 'idx.oob:x'"),
        ("# dims: 0..\n# expect: 1 FAILED\n# expect: 1 UNKNOWN", 3, "expected twice"),
        ("# expect: 1 FAILED\n# dims: 0..\n# dims: 1..", 3, "`# dims:` is given twice"),
        ("# expect: 1 FAILED\n# dims: 0..6", 2, "like `0..`, not '0..6'"),
        ("# expect: 1 FAILED\n# dims: 0..\n# shapes: some", 3, "shapes are like `0..6`"),
        ("# expect: 1 FAILED\n# dims: 0..\n# solver: 0", 3, "a number of milliseconds for each question, not '0'"),
        ("# expect: 4 FAILED\n# dims: 0..", 1, "shapes are compared in phases 1 and 2"),
        ("# expect: 1 FAILED\n# dims: 0..\n# args: --arg n=4", 3, "--timeout and --unwind only, not --arg n=4"),
        ("# expect: 1 FAILED\n# args: --arg n=4", 2, "the first word is `::NAME`"),
        ("# expect: 1 FAILED\n# args: --no-such-option", 2, "unrecognized arguments: --no-such-option"),
        ("# expect: 1 FAILED\n# args: --arg 'x", 2, "No closing quotation"),
    ],
)
def test_a_wrong_header_is_told_with_its_line(header: str, line: int, said: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(f"{header}\ndef kernel(n):\n    pass\n")
    with pytest.raises(HeaderError) as raised:
        read_header(file)
    assert str(raised.value).startswith(f"{file}:{line}: ") and said in str(raised.value)


#: Fails from n = 3 on.
_COUNTER = "def kernel(n):\n    for i in range(n):\n        assert i < 2\n"
#: Fails from R = 65 on, in line 9 of a file with two header lines.
_COPY = """
import nki
import nki.isa as nisa
import nki.language as nl
@nki.jit
def kernel(x):
    tile = nl.ndarray((64, 4), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0 : x.shape[0], :], src=x)
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# expect: 1 FAILED kernel.assert:5\n# dims: 0..\n" + _COUNTER, []),
        ("# expect: 1 FAILED|UNKNOWN :5\n# dims: 0..\n" + _COUNTER, []),
        ("# expect: 1 FAILED kernel.assert:4\n# dims: 0..\n" + _COUNTER, ["FAILED without kernel.assert:4"]),
        ("# expect: 1 FAILED\n# dims: 0..\n# shapes: none\n# solver: 1\n" + _COUNTER, []),
        ("# expect: 1 FAILED idx.oob\n# dims: 0..\n" + _COUNTER, ["FAILED without idx.oob; reported: kernel.assert:5"]),
        ("# expect: 1 SUCCESSFUL|UNKNOWN\n# dims: 0..\n" + _COUNTER, ["FAILED instead of SUCCESSFUL|UNKNOWN"]),
        ("# expect: 1 SUCCESSFUL\n# dims: 0..\n" + _COUNTER.replace("i <", "i * i >= i or i <"), []),
        ("# expect: 1 FAILED idx.oob:9\n# args:" + _COPY, []),
        ("# expect: 1 FAILED idx.oob:9\n# args: ::kernel --arg 'x=f32[R,4]'" + _COPY, []),
        ("# expect: 1 SUCCESSFUL\n# args: ::kernel --arg 'x=f32[R,4]' --where 'R <= 64'" + _COPY, []),
        ("# expect: 1 SUCCESSFUL\n# args: ::kernel --arg 'x=f32[R,4]'" + _COPY, ["FAILED instead of SUCCESSFUL"]),
        (
            "# expect: 1 FAILED\n# args: ::kernel --arg y=f32[4]" + _COPY,
            ["phase 1 has no verdict", "no such parameter"],
        ),
    ],
)
def test_what_is_said_of_an_answer(text: str, said: list[str], tmp_path: Path) -> None:
    file = tmp_path / "subject.py"
    file.write_text(text)
    found = "\n".join(complaints(file))
    assert bool(found) is bool(said), found
    assert all(part in found for part in said), found


@pytest.mark.parametrize(
    ("verdict", "qualifier", "witness", "said"),
    [
        (Verdict.FAILED, "", 3, ""),
        (Verdict.FAILED, "", 2, "the witness {'n': 2} does not fail"),
        (Verdict.SUCCESSFUL, "", 3, "SUCCESSFUL , but {'n': 3} fails"),
        (Verdict.VACUOUS, "", 3, "VACUOUS , but {'n': 3} fails"),
        (Verdict.SUCCESSFUL, "bounded 2", 3, ""),
        (Verdict.SUCCESSFUL, "bounded 3", 3, "SUCCESSFUL bounded 3, but {'n': 3} fails"),
        (Verdict.SUCCESSFUL, "bounded n <= 2", 3, ""),
        (Verdict.SUCCESSFUL, "bounded n <= 3", 3, "SUCCESSFUL bounded n <= 3, but {'n': 3} fails"),
        (Verdict.UNKNOWN, "", 3, ""),
    ],
)
def test_concrete_runs_contradict_a_wrong_verdict(
    verdict: Verdict, qualifier: str, witness: int, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "subject.py"
    file.write_text("# expect: 1 FAILED\n# dims: 0..\n" + _COUNTER)
    header = read_header(file)
    (run,) = answer(file, header).runs
    (violation,) = run.violations
    changed = replace(violation, witness={"n": witness}, values={"n": witness})
    wrong = replace(run, verdict=verdict, basis=None, qualifier=qualifier, violations=(changed,))
    assert "".join(contradicted(wrong, Concrete.of(file, header))) == said
