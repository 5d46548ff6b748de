"""What `check` finds, prints and writes for files and folders of which nothing is told."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation.records import Run, Verdict
from nkiverify.foundation.resources import root
from nkiverify.frontend.target import Target
from nkiverify.products.derive.domain_answers import DomainAnswer
from nkiverify.products.derive.proposals import in_kernel
from nkiverify.products.derive.runs import ConcreteResult, ShapeOutcome, UnreadPart
from nkiverify.products.derive.sampling import SampledShapes
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

HEAD = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n"

#: Copies rows in blocks; what is left over stays unwritten.
BLOCKS = HEAD + textwrap.dedent("""
    @nki.jit
    def blocks(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        for r in range(R // 128):
            tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[r * 128 : (r + 1) * 128, :])
            nisa.dma_copy(dst=out[r * 128 : (r + 1) * 128, :], src=tile)
        return out
""")
GUARDED = BLOCKS.replace("    out = nl", "    assert R % 128 == 0\n    out = nl", 1).replace(
    "def blocks", "def guarded"
)


class Ran:
    """`nkiverify check` in a folder: its status, and what it printed with all space as one blank."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *words: str) -> None:
        self.status = main(["check", *words])
        out, self.err = capsys.readouterr()
        self.out = " ".join(out.split())
        self.lines = out.splitlines()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tests run in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_shapes_that_are_accepted_and_fail_are_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(BLOCKS)
    ran = Ran(capsys, "k.py")
    assert ran.status == 1
    assert "the kernel does not check R % 128 == 0: R = 129 is accepted and out[128, 0] is never written" in ran.out
    assert "k.py:14" in ran.out
    assert "assumed: --arg x='bf16[R,C]'" in ran.out


def test_an_assert_about_shapes_is_all_of_the_domain(capsys: pytest.CaptureFixture[str]) -> None:
    copied = GUARDED.replace("def guarded(x)", "def guarded(x, y)").replace(
        "assert R % 128 == 0", "assert R % 128 == 0 and y.shape == (R, C)"
    )
    Path("k.py").write_text(copied)
    ran = Ran(capsys, "k.py")
    assert ran.status == 0
    assert "legal where R % 128 == 0, R == y0, C == y1" in ran.out
    assert "the kernel's own asserts enforce this" in ran.out


def test_a_shape_that_breaks_only_what_is_accepted_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    line = next(line for line in BLOCKS.splitlines() if "dst=out" in line)
    Path("k.py").write_text(BLOCKS.replace(line, f"{line}  # nkiverify: ignore[df.output_written] the caller pads"))
    ran = Ran(capsys, "k.py")
    assert "R = 129 is accepted and out[128, 0] is never written" not in ran.out


def test_a_kernel_that_checks_its_shapes_is_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(GUARDED)
    ran = Ran(capsys, "k.py")
    assert ran.status == 0
    assert "guarded is legal where R % 128 == 0 proved for all such shapes, 4 phases" in ran.out
    assert "the kernel's own asserts enforce this" in ran.out
    assert "limits: C <= 106492 (SBUF, k.py:14)" in ran.out


#: Asserts that no condition of `--where` says.
UNSAID = ("allowed(C)", "C % 3 == 0 or C <= 4", "any((C == k * k for k in range(1, 23)))")


@pytest.mark.parametrize("assertion", UNSAID)
@pytest.mark.parametrize("more", ["", "    assert C <= 512\n"])
def test_what_the_kernel_checks_is_said_as_it_stands_where_no_condition_says_it(
    assertion: str, more: str, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = f"    assert {assertion}\n{more}    out = nl"
    helper = "def allowed(n):\n    return n % 3 != 1 or n == 7\n\n\n"
    Path("k.py").write_text(GUARDED.replace("@nki.jit", helper + "@nki.jit").replace("    out = nl", checked, 1))
    ran = Ran(capsys, "k.py")
    assert ran.status == 0, ran.out
    first = ran.out.partition("proved for all such shapes")[0]
    assert first.startswith("guarded is legal where ") and assertion in first
    assert "the kernel does not check" not in ran.out
    # Either nothing outside is accepted, or a shape outside passes: never both.
    assert ("the kernel's own asserts enforce this" in ran.out) != ("passes as well" in ran.out)
    assert "@target" not in Ran(capsys, "k.py::guarded", "--manifest-entry").out


def test_the_domain_is_what_where_proves(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(BLOCKS)
    assert main(["check", "k.py::blocks", "--arg", "x=bf16[R,C]", "--where", "R % 128 == 0 and C <= 106492"]) == 0
    assert main(["check", "k.py::blocks", "--arg", "x=bf16[R,C]", "--where", "R % 64 == 0 and C <= 106492"]) == 1
    assert main(["check", "k.py::blocks", "--arg", "x=bf16[R,C]", "--where", "R % 128 == 0 and C <= 106493"]) == 1


def test_a_domain_can_be_asked_for_beside_where(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(BLOCKS)
    ran = Ran(capsys, "k.py::blocks", "--arg", "x=bf16[R,C]", "--where", "C == 64", "--derive")
    assert ran.status == 1
    assert "blocks is legal where R % 128 == 0 proved" in ran.out
    assert "limits" not in ran.out


def test_folders_are_walked(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    for name, text in {
        "a.py": GUARDED,
        "sub/b.py": GUARDED.replace("guarded", "other"),
        "vendor/c.py": BLOCKS,
        ".hidden/d.py": BLOCKS,
        "old/e.py": BLOCKS,
        "plain.py": "x = 1\n",
    }.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text)
    ran = Ran(capsys, ".", "--exclude", "old")
    assert ran.status == 0
    assert re.findall(r"(\w+) is legal", ran.out) == ["guarded", "other"]
    assert ran.lines[-1].endswith("2 legal")


def test_helpers_are_no_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    helper = "def helper(tile):\n    nisa.activation(dst=tile, op=nl.exp, data=tile)\n\n\n"
    kernel = GUARDED.removeprefix(HEAD).replace(
        "        nisa.dma_copy(dst=out", "        helper(tile)\n        nisa.dma_copy(dst=out"
    )
    Path("k.py").write_text(HEAD + helper + kernel)
    assert re.findall(r"(\w+) is legal", Ran(capsys, "k.py").out) == ["guarded"]


def test_what_cannot_be_inferred_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(BLOCKS.replace("(x)", "(x, config)").replace("R // 128", "R // config.rows"))
    ran = Ran(capsys, "k.py")
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert "k.py::blocks needs --arg config=…" in ran.err


def test_a_kernel_that_never_passes_is_a_bug(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(BLOCKS.replace("(128, C)", "(64, C)"))
    ran = Ran(capsys, "k.py")
    assert ran.status == 1
    assert "blocks fails for every shape that was tried" in ran.out
    assert "dma_copy.count" in ran.out
    assert "k.py:13" in ran.out
    # An editor shows its tiles all the same.
    main(["check", "k.py", "--json", "found.json"])
    runs = json.loads(Path("found.json").read_text())["runs"]
    assert [tile["name"] for run in runs for peak in run["memory"] for tile in peak["tiles"]] == ["tile"]


def test_what_is_proved_for_a_part_only_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    """A loop whose state is not understood leaves the first line without the word legal."""
    Path("k.py").write_text(
        BLOCKS.replace("    for r in", "    seen = set()\n    for r in").replace(
            "        tile = nl",
            "        seen.add(r * r)\n        if len(seen) > 3:\n            break\n        tile = nl",
        )
    )
    ran = Ran(capsys, "k.py")
    assert ran.status != 0


def test_asserts_to_paste_make_the_kernel_check_itself(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(BLOCKS)
    ran = Ran(capsys, "k.py", "--fix")
    at = next(number for number, line in enumerate(ran.lines) if line.startswith("# k.py, after line "))
    line = int(ran.lines[at].split()[-1].rstrip(":"))
    text = BLOCKS.splitlines()
    Path("k.py").write_text("\n".join([*text[:line], *ran.lines[at + 1 : at + 2], *text[line:]]) + "\n")
    assert "assert R % 128 == 0" in Path("k.py").read_text()
    assert Ran(capsys, "k.py").status == 0


def test_a_manifest_entry_runs(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    Path("k.py").write_text(BLOCKS)
    ran = Ran(capsys, "k.py", "--manifest-entry")
    entry = "\n".join(ran.lines[next(at for at, line in enumerate(ran.lines) if line == "@target(") :])
    head = (
        "from nkiverify.frontend.target import Verification\n"
        "from nkiverify.project.manifest_targets import SUCCESSFUL, Kind, target\n"
        "from nkiverify.model.dtypes import bfloat16\n\n\n"
    )
    Path("nkiverify_targets.py").write_text(head + entry + "\n")
    Path("pyproject.toml").write_text("[tool.nkiverify]\n")
    done = subprocess.run(
        [sys.executable, str(root() / "verify.py"), "run", "--no-cache", "-j", "1", "--engine", "embedded"],
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "blocks_legal" in done.stdout


def test_results_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(BLOCKS)
    Ran(capsys, "k.py", "--json", "o.json")
    runs = {run["phase"]: run for run in json.loads(Path("o.json").read_text())["runs"]}
    assert runs[4]["verdict"] == "FAILED"
    assert [one["witness"] for one in runs[4]["violations"]] == [{"R": 129, "C": 1}]
    assert runs[1]["verdict"] == "SUCCESSFUL"


def test_an_output_that_is_not_written_has_two_places(capsys: pytest.CaptureFixture[str]) -> None:
    """The last store to it, and under that its allocation; it is called as the kernel calls it."""
    wrong = GUARDED.replace("(r + 1) * 128, :], src=tile)", "(r + 1) * 128, 0 : C - 1], src=tile[:, 0 : C - 1])")
    Path("k.py").write_text(wrong)
    ran = Ran(capsys, "k.py")
    assert ran.status == 1
    assert "df.output_written" in ran.out
    assert "at k.py:15" in ran.out
    assert "out is allocated here" in ran.out
    assert "because out[" in ran.out


def test_run_names_the_same_places(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(BLOCKS)
    ran = Ran(capsys, "k.py::blocks", "--arg", "x=bf16[R,C]", "--where", "R > 128", "--phase", "4")
    assert "df.output_written" in ran.out
    assert "at k.py:14" in ran.out
    assert "out is allocated here" in ran.out


def test_a_read_of_nothing_says_what_to_write(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(GUARDED.replace("        nisa.dma_copy(dst=tile", "        # nisa.dma_copy(dst=tile"))
    ran = Ran(capsys, "k.py")
    assert "because tile[0, 0] is read unwritten" in ran.out
    assert "help write all of tile before, or make it by nl.zeros(…) at k.py:13" in ran.out


def test_what_the_kernel_lacks_can_be_typed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(BLOCKS)
    assert "help: assert R % 128 == 0 (--fix shows" in Ran(capsys, "k.py").out
    Path("k.py").write_text(GUARDED)
    assert "help:" not in Ran(capsys, "k.py").out


def test_the_bug_comes_before_what_is_wrong_with_the_shape(capsys: pytest.CaptureFixture[str]) -> None:
    """Where every shape fails, the one at which the kernel comes furthest shows the bug."""
    body = """
        @nki.jit
        def best(x):
            P, E = x.shape
            out = nl.ndarray((P, 8), dtype=nl.float32, buffer=nl.shared_hbm)
            row = nl.ndarray((P, E), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=row, src=x)
            found = nl.ndarray((P, 8), dtype=nl.float32, buffer=nl.sbuf)
            nisa.max8(dst=found, src=row)
            nisa.dma_copy(dst=out[:, 0:7], src=found)
            return out
    """
    Path("k.py").write_text(HEAD + textwrap.dedent(body))
    ran = Ran(capsys, "k.py")
    assert ran.out.index("dma_copy.count") < ran.out.index("max8.n")
    assert re.search(r"also, for P = 1, E = 1: fails: [^(]*\(max8.n\)", ran.out)


def test_a_kernel_whose_least_sizes_are_large_is_not_said_to_fail(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a shape that takes longer than others there is no more known than that: it does not fail."""
    big = GUARDED.replace("R % 128 == 0", "R % 4096 == 0 and C % 2048 == 0").replace(
        "dtype=x.dtype", "dtype=nl.float32"
    )
    Path("k.py").write_text(big)
    ran = Ran(capsys, "k.py")
    assert ran.status == 0, ran.out
    assert "is legal where R % 4096 == 0, C % 2048 == 0" in ran.out


HUGE = BLOCKS.replace("    out = nl", "    assert R % 65536 == 0 and C % 2048 == 0\n    out = nl", 1)


def test_sizes_that_no_run_reaches_are_proved_without_one(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(HUGE)
    ran = Ran(capsys, "k.py")
    assert ran.status == 0, ran.out
    assert "is legal where R % 65536 == 0, C % 2048 == 0 proved for all such shapes" in ran.out
    assert "limits: C <= 106492" in ran.out
    Path("k.py").write_text(HUGE.replace("* 128, :], src=tile", "* 128 - 1, :], src=tile[0:127, :]"))
    assert Ran(capsys, "k.py").status in (1, 3)


def test_the_grid_is_up_to_who_launches_the_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    text = """
        import neuronxcc.nki.language as nl
        from neuronxcc import nki


        @nki.jit
        def blocks(x):
            rows, cols = x.shape
            out = nl.ndarray((rows, cols), dtype=x.dtype, buffer=nl.shared_hbm)
            i = nl.program_id(0) * 128 + nl.arange(128)[:, None]
            j = nl.arange(cols)[None, :]
            tile = nl.load(x[i, j], mask=i < rows)
            nl.store(out[i, j], value=tile, mask=i < rows)
            return out
    """
    Path("k.py").write_text(textwrap.dedent(text))
    ran = Ran(capsys, "k.py")
    assert ran.status == 0, ran.out
    assert "blocks is legal where rows <= 128*G proved for all such shapes" in ran.out
    assert "the caller must choose a grid such that rows <= 128*G: rows = 129, G = 1 is accepted" in ran.out
    assert "help:" not in ran.out


def test_programs_that_meet_are_no_matter_of_the_launch(capsys: pytest.CaptureFixture[str]) -> None:
    text = """
        import neuronxcc.nki.language as nl
        from neuronxcc import nki


        @nki.jit
        def blocks(x):
            rows, cols = x.shape
            assert rows == 128 and cols == 512
            out = nl.ndarray((rows, cols), dtype=x.dtype, buffer=nl.shared_hbm)
            i = nl.arange(128)[:, None]
            j = nl.program_id(0) * 256 + nl.arange(512)[None, :]
            nl.store(out[i, j], value=nl.load(x[i, j], mask=j < cols), mask=j < cols)
            return out
    """
    Path("k.py").write_text(textwrap.dedent(text))
    ran = Ran(capsys, "k.py")
    assert ran.status == 1, ran.out
    assert "program 1 touches out[0, 256], which another writes" in ran.out


def test_the_time_limit_is_told_as_it_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(GUARDED)
    ran = Ran(capsys, "k.py", "--timeout", "0.003")
    assert ran.status == 3
    # Where phase 4 alone is left open, as may be on a busy machine, no number is told.
    told = re.findall(r"the time limit of (\S+) s", ran.out) or re.findall("phase 4 UNKNOWN: the time for", ran.out)
    assert set(told) in ({"0.003"}, {"phase 4 UNKNOWN: the time for"})


def test_names_are_those_of_the_file_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """It may have changed since the last check of this process."""
    unwritten = GUARDED.replace("        nisa.dma_copy(dst=tile", "        # nisa.dma_copy(dst=tile")
    Path("k.py").write_text(unwritten)
    assert "tile[0, 0] is read unwritten" in Ran(capsys, "k.py").out
    Path("k.py").write_text(unwritten.replace("tile", "block"))
    assert "block[0, 0] is read unwritten" in Ran(capsys, "k.py").out


def test_a_line_for_each_finding(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(BLOCKS)
    assert main(["check", "k.py", "--output-format", "concise"]) == 1
    out = capsys.readouterr().out
    assert "k.py:14:9: df.output_written: out[128, 0] is never written (R = 129, C = 1)\n" in out
    assert all(re.match(r"k\.py:\d+:", line) for line in out.splitlines())


@pytest.mark.parametrize("words", [["k.py"], ["k.py::blocks", "--arg", "x=bf16[R,C]"]], ids=["derived", "given"])
def test_the_forms_that_programs_read_are_all_that_is_printed(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("k.py").write_text(BLOCKS)
    for form in ("json", "sarif"):
        assert main(["check", *words, "--output-format", form]) == 1
        assert "runs" in json.loads(capsys.readouterr().out)
    assert main(["check", *words, "--output-format", "github"]) == 1
    assert all(line.startswith("::") for line in capsys.readouterr().out.splitlines())


#: Kernels that never end, end their process, or end like others do.
UNRULY = HEAD + textwrap.dedent("""
    import os


    @nki.jit
    def stuck(x):
        10 ** (10**9)


    @nki.jit
    def died(x):
        os._exit(0)


    @nki.jit
    def copied(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=x)
        return out
""")


def test_a_kernel_that_ends_its_process_takes_nothing_from_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(UNRULY)
    ran = Ran(capsys, "k.py", "--timeout", "2", "--json", "r.json")
    assert ran.status == 4
    assert "copied is legal for all shapes" in ran.out
    assert "3 kernels in " in ran.out and "1 legal, 1 not proved, 1 with an error of nkiverify" in ran.out
    assert "k.py::stuck: no verdict within 2 s, nor 1 s later; its process was stopped" in ran.err
    assert "k.py::died: the process that runs kernels ended with exit status 0 before it was done" in ran.err
    answers = json.loads(Path("r.json").read_text())["answers"]
    assert [(one["kernel"], one["legal"]) for one in answers] == [("stuck", False), ("died", False), ("copied", True)]


def test_a_phase_without_anything_to_check_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(UNRULY)
    ran = Ran(capsys, "k.py::copied")
    assert ran.status == 0
    assert "proved for all such shapes, 3 phases" in ran.out


def test_asserts_that_nothing_passes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(GUARDED.replace("R % 128 == 0", "R % 128 == 0 and R < 0"))
    ran = Ran(capsys, "k.py")
    assert ran.status == 5
    assert "no values pass the kernel's own asserts: R % 128 == 0 and R < 0" in ran.out
    assert "legal where" not in ran.out


@pytest.mark.parametrize("words", [["k.py"], ["k.py::blocks", "--arg", "x=bf16[R,C]"]], ids=["derived", "given"])
def test_the_last_failure_is_replayed_without_arguments(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))
    assert main(["replay"]) == 2
    assert "no failure of `nkiverify check` is known" in capsys.readouterr().err
    Path("k.py").write_text(BLOCKS)
    assert "nkiverify replay --pdb" in Ran(capsys, *words).out
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert main(["replay"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "k.py::blocks, phase" in out
    assert "reproduced: ContractViolation at" in out
    assert main(["replay", "--phase", "4"]) == 2


def test_asserts_are_written_into_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    two = BLOCKS + GUARDED.removeprefix(HEAD).replace("assert R % 128 == 0", "R = x.shape[0]")
    Path("k.py").write_text(two)
    ran = Ran(capsys, "k.py", "--fix-in-place")
    assert ran.status == 1
    assert "k.py has 2 asserts more" in ran.err
    text = Path("k.py").read_text()
    assert text.count('    assert R % 128 == 0, f"') == 2
    assert len(text.splitlines()) == len(two.splitlines()) + 2
    assert Ran(capsys, "k.py").status == 0


def test_all_tells_the_memory_at_a_shape_of_the_domain(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(GUARDED)
    assert (
        "sbuf 2*C = 8 of 212984 bytes of a partition are live for C = 4 at k.py:14; tile 2*C"
        in Ran(capsys, "k.py", "--all").out
    )


def test_an_element_is_named_by_its_place_in_the_tensor(capsys: pytest.CaptureFixture[str]) -> None:
    body = """
        @nki.jit
        def part(x):
            P, F = x.shape
            assert P <= 128 and F == 16
            out = nl.ndarray((P, 4), dtype=x.dtype, buffer=nl.shared_hbm)
            tile = nl.ndarray((P, 16), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile[:, 0:6], src=x[:, 0:6])
            nisa.dma_copy(dst=out, src=tile[:, 4:8])
            return out
    """
    Path("k.py").write_text(HEAD + textwrap.dedent(body))
    ran = Ran(capsys, "k.py")
    assert "because tile[0, 6] is read unwritten" in ran.out
    assert "element = (0, 2), of = (1, 4)" in ran.out
    assert "at = (0, 6)" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("x=bf16[R,C]", "w=f32[C2,N]"), "R == w.shape[0] and w.shape[1] % 2 == 0"),
        (("x=bf16[R,C]", "w=(f32[C2,3],f32[N,C])"), "R == w[0].shape[0] and w[1].shape[0] % 2 == 0"),
        (("x=bf16[R,C]", "w={'a': f32[C2,N], 'b': i8[3]}"), "R == w['a'].shape[0] and w['a'].shape[1] % 2 == 0"),
        # The numbers of what is in a tuple of other things are not told.
        (("x=bf16[R,C]", "w=(4,f32[C2,N])"), "R == C2 and N % 2 == 0"),
    ],
)
def test_a_condition_in_the_words_of_the_kernel(arguments: tuple[str, ...], said: str, here: Path) -> None:
    Path("k.py").write_text("def k(x, w):\n    R, C = x.shape\n")
    assert in_kernel(DomainAnswer("k.py::k", arguments, ""), here)("R == C2 and N % 2 == 0") == said


SCALED = HEAD + textwrap.dedent("""
    @nki.jit
    def scaled(x, s):
        out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        scale = nl.ndarray((128, 1), dtype=s.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[0:128, 0:512])
        nisa.dma_copy(dst=scale, src=s[0:128, 0:1])
        nisa.activation(dst=tile, op=nl.exp, data=tile, scale=scale)
        nisa.dma_copy(dst=out, src=tile)
        return out
""")


def test_a_dtype_that_nothing_tells_is_another_one_where_no_shape_passes(capsys: pytest.CaptureFixture[str]) -> None:
    """The scale has to be float32, which nobody says; with bfloat16 every shape would fail."""
    Path("k.py").write_text(SCALED)
    ran = Ran(capsys, "k.py")
    assert "scaled is legal where" in ran.out
    assert "--arg s='f32[s0,s1]'" in ran.out and "with bf16 for tensors without a known dtype" in ran.out
    # What is given stays as it is.
    ran = Ran(capsys, "k.py::scaled", "--arg", "s=bf16[R,1]", "--derive")
    assert "activation.scale" in ran.out and "legal where" not in ran.out
    # A folder tells what is legal and what fails apart.
    Path("blocks.py").write_text(BLOCKS)
    assert "2 kernels in " in (out := Ran(capsys, ".").out)
    assert "2 legal where they do not check it" in out


def test_an_operation_of_later_hardware_says_which(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["tile = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)", "nisa.exponential(dst=tile, src=x)"]
    Path("k.py").write_text(HEAD + "@nki.jit\ndef k(x):\n    " + "\n    ".join(lines) + "\n")
    ran = Ran(capsys, "k.py::k", "--arg", "x=bf16[128,1]", "--phase", "1")
    assert "exponential.gen4" in ran.out
    assert "help --target trn3, the first that has it" in ran.out


QUANTISED = HEAD + textwrap.dedent("""
    @nki.jit
    def quantised(x, kind):
        P, F = x.shape
        assert P == 128 and F % 4 == 0
        out = nl.ndarray((P, F // 4), dtype=kind, buffer=nl.shared_hbm)
        tile = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        packed = nl.ndarray((P, F // 4), dtype=kind, buffer=nl.sbuf)
        scale = nl.ndarray((P, F // 4), dtype=nl.uint8, buffer=nl.sbuf)
        nisa.quantize_mx(dst=packed, src=tile, dst_scale=scale)
        nisa.dma_copy(dst=out, src=packed)
        return out
""")
PRODUCT = HEAD + textwrap.dedent("""
    @nki.jit
    def product(w, ws, a, scales):
        K, M = w.shape
        J, N = a.shape
        assert K == 128 and J == K and M == 128 and N == 512
        assert ws.shape == w.shape and scales.shape == a.shape
        out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
        tiles = []
        for one in (w, ws, a, scales):
            tile = nl.ndarray(one.shape, dtype=one.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=one)
            tiles.append(tile)
        acc = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul_mx(
            dst=acc, stationary=tiles[0], moving=tiles[2], stationary_scale=tiles[1], moving_scale=tiles[3]
        )
        got = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=got, src=acc)
        nisa.dma_copy(dst=out, src=got)
        return out
""")
BITS = HEAD + textwrap.dedent("""
    @nki.jit
    def bits(x):
        P, F = x.shape
        assert P <= 128
        out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.bitwise_and, operand0=7)
        nisa.dma_copy(dst=out, src=tile)
        return out
""")


@pytest.mark.parametrize(
    ("text", "assumed"),
    [
        (QUANTISED, ["--arg x='bf16[P,F]'", "--arg kind=float8_e5m2_x4", "--target trn3"]),
        # What the decorator names is what it is for.
        (QUANTISED.replace("@nki.jit", "@nki.jit(platform_target='gen4')"), ["kind=float8_e5m2_x4", "--target trn3"]),
        (PRODUCT, ["w='float8_e5m2_x4[K,M]'", "ws='u8[ws0,ws1]'", "a='float8_e5m2_x4[J,N]'", "--target trn3"]),
        (BITS, ["--arg x='u8[P,F]'"]),
    ],
    ids=["quantised", "decorated", "product", "bits"],
)
def test_what_nobody_says_is_what_the_operations_take(
    text: str, assumed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """With what is assumed first, bfloat16 on trn2, every shape of these kernels would fail."""
    Path("k.py").write_text(text)
    ran = Ran(capsys, "k.py")
    assert ran.status == 0, ran.out
    assert "is legal where" in ran.out
    assert all(part in ran.out for part in assumed)
    assert "it fails for every shape that was tried: " in ran.out


def test_what_somebody_says_stays(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(QUANTISED)
    ran = Ran(capsys, "k.py", "--target", "trn2")
    assert ran.status == 1
    assert "quantize_mx.gen4" in ran.out and "help --target trn3" in ran.out and "legal where" not in ran.out
    ran = Ran(capsys, "k.py::quantised", "--arg", "kind=f16")
    assert ran.status == 1
    assert "because dst = float16" in ran.out and "legal where" not in ran.out


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        # No dtype that could be assumed is to blame for the one that the kernel writes down.
        ("scale = nl.ndarray((P, F // 4), dtype=nl.uint8", "scale = nl.ndarray((P, F // 4), dtype=nl.bfloat16", 16),
        ("src=packed", "src=packed[0:64]", 17),
    ],
)
def test_a_bug_stays_one_whatever_is_assumed(old: str, new: str, line: int, capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(QUANTISED.replace(old, new))
    ran = Ran(capsys, "k.py")
    assert ran.status == 1
    assert f"at k.py:{line} " in ran.out and "legal where" not in ran.out
    assert "--target trn3" in ran.out


def test_a_manifest_entry_has_the_hardware_and_the_dtype(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(QUANTISED)
    out = Ran(capsys, "k.py::quantised", "--manifest-entry", "--target", "trn3").out
    assert 'hardware="trn3"' in out and "kind=float8_e5m2_x4)" in out
    Path("k.py").write_text(
        BITS.replace("(x)", "(x, kind)").replace("x.dtype, buffer=nl.shared", "kind, buffer=nl.shared")
    )
    assert "kind=bfloat16)" in Ran(capsys, "k.py::bits", "--manifest-entry").out


UNREAD = HEAD + textwrap.dedent("""
    @nki.jit
    def unread(x):
        assert x.shape == (4, 4)
        out = nl.ndarray((4, 4), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((4, 4), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=out, src=tile)  # nkiverify: ignore[df.read_unwritten] somebody fills it
        return out
""")


def test_what_is_accepted_is_told_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(UNREAD)
    ran = Ran(capsys, "k.py")
    assert ran.status == 0
    assert "accepted df.read_unwritten: tile[0, 0] is read unwritten [somebody fills it] k.py:12" in ran.out
    assert "match nothing" not in ran.out


def test_an_ignore_that_accepts_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    whole = UNREAD.replace("dma_copy(dst=out, src=tile)", "dma_copy(dst=out, src=x)")
    Path("k.py").write_text(whole)
    ran = Ran(capsys, "k.py")
    assert "ignore.unused at k.py:12: ignore[df.read_unwritten] matches no finding here" in ran.out
    # Outside the domain it may accept something, which is in no verdict.
    Path("k.py").write_text(BLOCKS.replace("src=tile)", "src=tile)  # nkiverify: ignore[df.output_written] padded"))
    assert "match nothing" not in Ran(capsys, "k.py").out


def test_a_warning_that_is_to_be_ignored_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    line = "        nisa.activation(dst=tile, op=nl.exp, data=tile)\n"
    Path("k.py").write_text(GUARDED.replace("    return out", f"{line}    return out"))
    assert "warning df.unused" in Ran(capsys, "k.py").out
    assert "df.unused" not in Ran(capsys, "k.py", "-W", "ignore=df.unused").out


def test_a_bound_that_nothing_states_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    text = """@nki.jit
def kept(x):
    P, N = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = []
    for k in range(N // 64):
        tile = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf, address=(0, k % 2 * 256))
        nisa.dma_copy(tile, x[:, k * 64 : (k + 1) * 64])
        tiles.append(tile)
    for k, tile in enumerate(tiles):
        nisa.dma_copy(out[:, k * 64 : (k + 1) * 64], tile)
    return out
"""
    Path("k.py").write_text(HEAD + text)
    ran = Ran(capsys, "k.py")
    assert ran.status == 1
    assert "kept is legal where P <= 128, N <= 128, N % 64 == 0 proved for all such shapes" in ran.out
    # Two tiles in one place are a mistake, and no limit of what the hardware can hold.
    assert re.search(r"does not check N <= 128: N = 192 is accepted and fails: [^(]*\(mem.placed_overlap\)", ran.out)


@pytest.mark.parametrize(
    ("environment", "colour"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
    ids=["no terminal", "FORCE_COLOR", "NO_COLOR"],
)
def test_verdicts_have_colour_where_it_is_asked_for(
    environment: dict[str, str], colour: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    Path("k.py").write_text(UNREAD)
    Path("b.py").write_text(UNREAD.replace("  # nkiverify: ignore[df.read_unwritten] somebody fills it", ""))
    assert ("unread \x1b[32mis legal" in Ran(capsys, "k.py").out) is colour
    assert ("\x1b[1;31m" in Ran(capsys, "b.py").out) is colour


def test_a_domain_whose_proof_is_open_is_tried_with_the_whole_search(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search with less work than usual is for domains that are still to be changed."""

    def short_of_time(target: Target, options: Options) -> list[Run]:
        runs = verify(target, options)
        if options.effort == 1:
            return runs
        return [
            replace(run, verdict=Verdict.UNKNOWN, basis=None) if run.verdict is Verdict.SUCCESSFUL else run
            for run in runs
        ]

    monkeypatch.setattr("nkiverify.products.derive.derivation.verify", short_of_time)
    Path("k.py").write_text(BLOCKS)
    assert "blocks is legal where R % 128 == 0 proved" in Ran(capsys, "k.py").out


PARTS = HEAD + textwrap.dedent("""
    @nki.jit
    def parts(x):
        P, N = x.shape
        rows, step = min(P, 128), min(N, 512)
        out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
        for i in range(P // rows):
            for j in range(N // step):
                tile = nl.ndarray((rows, step), dtype=x.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=x[i * rows : (i + 1) * rows, j * step : (j + 1) * step])
                nisa.dma_copy(dst=out[i * rows : (i + 1) * rows, j * step : (j + 1) * step], src=tile)
        return out
""")


def test_each_way_through_disjunctions_is_a_target_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """Phase 4 is proved for each of them, and not for all together."""
    Path("k.py").write_text(PARTS)
    ran = Ran(capsys, "k.py", "--manifest-entry")
    assert "parts is legal where P <= 128 or P % 128 == 0, N <= 512 or N % 512 == 0" in ran.out
    told = [line.strip() for line in ran.lines if line.startswith(("def ", "    v.assume"))]
    ways = list(product(["P <= 128", "P % 128 == 0"], ["N <= 512", "N % 512 == 0"]))
    assert told == [
        line
        for number, (rows, columns) in enumerate(ways, 1)
        for line in (f"def parts_legal_{number}(v: Verification) -> None:", f"v.assume({rows})", f"v.assume({columns})")
    ]


def test_a_file_that_is_no_text_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_bytes(b"\xff\xfe")
    ran = Ran(capsys, "k.py")
    assert ran.status == 2
    assert ran.err.count("\n") == 1 and ran.err.endswith("k.py:1: the file is not UTF-8, and names no other encoding\n")


COLUMNS_OF_SCALES = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def scaled(x, scale, shift):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for first in range(0, R, 128):
        rows = min(128, R - first)
        tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        factors = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        terms = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:rows], src=x[first : first + rows])
        nisa.dma_copy(dst=factors[0:rows], src=scale[first : first + rows])
        nisa.dma_copy(dst=terms[0:rows], src=shift[first : first + rows])
        nisa.tensor_scalar(tile[0:rows], tile[0:rows], nl.multiply, factors[0:rows], op1=nl.add, operand1=terms[0:rows])
        nisa.dma_copy(dst=out[first : first + rows], src=tile[0:rows])
    return out
"""
DIFFERENCES = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def differences(x):
    P, N = x.shape
    assert P <= 128
    out = nl.ndarray((P, N - 1), dtype=x.dtype, buffer=nl.shared_hbm)
    for j in range((N - 1) // 512):
        tile = nl.ndarray((P, 513), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, j * 512 : j * 512 + 513])
        less = nl.ndarray((P, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=less, data1=tile[:, 1:513], data2=tile[:, 0:512], op=nl.subtract)
        nisa.dma_copy(dst=out[:, j * 512 : (j + 1) * 512], src=less)
    return out
"""
ROW_OF_TERMS = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def added(x, row):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    terms = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=terms, src=row.reshape((row.shape[0] * row.shape[1],)).ap(pattern=[[0, 128], [1, C]]))
    for first in range(0, R, 128):
        rows = min(128, R - first)
        tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:rows], src=x[first : first + rows])
        nisa.tensor_tensor(tile[0:rows], tile[0:rows], terms[0:rows], op=nl.add)
        nisa.dma_copy(dst=out[first : first + rows], src=tile[0:rows])
    return out
"""
ROW_OF_TERMS_BY_TILES = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def added(x, row):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for left in range(0, C, 512):
        width = min(512, C - left)
        for first in range(0, R, 128):
            rows = min(128, R - first)
            tile = nl.ndarray((rows, width), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[first : first + rows, left : left + width])
            terms = nl.ndarray((rows, width), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=terms, src=row.ap(pattern=[[0, rows], [1, width]], offset=left))
            nisa.tensor_tensor(tile, tile, terms, op=nl.add)
            nisa.dma_copy(dst=out[first : first + rows, left : left + width], src=tile)
    return out
"""


@pytest.mark.parametrize(
    ("kernel", "domain"),
    [
        (COLUMNS_OF_SCALES, "scale1 == 1, shift1 == 1, R == shift0, R == scale0"),
        (DIFFERENCES, "P <= 128, (N - 1) % 512 == 0, N >= 2"),
        (ROW_OF_TERMS, "C == row0*row1"),
        (ROW_OF_TERMS_BY_TILES, "C == row0*row1"),
    ],
    ids=["four dimensions that move together", "a multiple and one more", "a row, whole", "a row, by tiles"],
)
def test_a_shape_that_passes_is_found_where_it_is_no_usual_one(
    kernel: str, domain: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("k.py").write_text(kernel)
    ran = Ran(capsys, "k.py")
    assert f"is legal where {domain} proved for all such shapes, 4 phases" in ran.out


SHORT_ROWS = HEAD + textwrap.dedent("""
    @nki.jit
    def rows(x):
        P, N = x.shape
        step = min(N, 4)
        out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
        for j in range(N // step):
            tile = nl.ndarray((P, step), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[:, j * step : (j + 1) * step])
            nisa.dma_copy(dst=out[:, j * step : (j + 1) * step], src=tile)
        return out
""")


def test_a_domain_with_a_disjunction_is_proved_on_each_way_through_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Phase 4 is proved within bounds of all of it, as runs of shapes show it."""
    Path("k.py").write_text(SHORT_ROWS)
    words = ("--arg", "x=bf16[1,N]", "--where", "N == 2 or N % 4 == 0", "--phase", "4")
    ran = Ran(capsys, "k.py::rows", *words)
    assert "rows 4 SUCCESSFUL 3 " in ran.out and "bounded" not in ran.out


def test_what_a_kernel_prints_is_shown_once(capfd: pytest.CaptureFixture[str]) -> None:
    """It is run for many shapes, and loaded for each way of running it."""
    kernel = SHORT_ROWS.replace(
        "    step = min(N, 4)",
        "    print(f'[INFO] {P} rows')\n    print('twice')\n    print('twice')\n    step = min(N, 4)",
    )
    Path("k.py").write_text(f"{kernel}\nprint('[INFO] loaded')\n")
    assert main(["check", "k.py"]) == 1
    lines = capfd.readouterr().err.splitlines()
    assert [re.sub(r"\d+", "1", line) for line in lines] == ["[INFO] loaded", "[INFO] 1 rows", "twice", "twice"]


def test_shapes_are_left_that_a_domain_may_have_where_each_leaves_a_part_of_some_input_out() -> None:
    """One reads x wholly, another y, and none both: a domain without any of them would be empty."""
    shapes = SampledShapes.__new__(SampledShapes)
    shapes.runs = {
        (size,): ConcreteResult(
            {"N": size}, ShapeOutcome.PASSES, unread=(UnreadPart(part, "[1:]", None),), whole=frozenset({other})
        )
        for size, part, other in ((1, "x", "y"), (2, "y", "x"))
    }
    passing, failing = shapes.split()
    assert [one.values["N"] for one in passing] == [1, 2] and failing == []


SUMMED = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def summed(x, w):
    K, M = x.shape
    K, N = w.shape
    acc = nl.zeros((M, N), dtype=nl.float32, buffer=nl.psum)
    out = nl.ndarray((M, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for k in nl.affine_range(K // 128):
        left, right = nl.load(x[k * 128 : (k + 1) * 128, :]), nl.load(w[k * 128 : (k + 1) * 128, :])
        acc += nl.matmul(left, right, transpose_x=True)
    nl.store(out, acc)
    return out
"""


def test_a_shape_at_which_no_input_is_read_is_none_that_is_meant(capsys: pytest.CaptureFixture[str]) -> None:
    """With fewer than 128 rows the loop is not entered: the result is 0, whatever the arguments are."""
    Path("k.py").write_text(SUMMED)
    ran = Ran(capsys, "k.py")
    assert "summed is legal where M <= 128, K2 % 128 == 0, N <= 512, K == K2" in ran.out
    assert "K2 <= 128" not in ran.out


#: Copies a whole tile of 128 x 128, by indices that are its own.
OWN_INDICES = textwrap.dedent("""
    import neuronxcc.nki as nki
    import neuronxcc.nki.language as nl


    @nki.jit
    def copied(x):
        out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
        i_p, i_f = nl.mgrid[0:128, 0:128]
        nl.store(out[i_p, i_f], nl.load(x[i_p, i_f]))
        return out
""")


def test_what_a_dimension_is_compared_with_is_said_as_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(OWN_INDICES)
    ran = Ran(capsys, "k.py")
    assert "copied is legal where x0 == 128, x1 == 128 proved" in ran.out
    assert "help: assert x.shape[0] == 128 and x.shape[1] == 128" in ran.out
    assert "no assert to add" not in ran.out


def _checked(assertion: str) -> str:
    return GUARDED.replace("assert R % 128 == 0", assertion)


def test_a_domain_of_one_shape_that_passes_is_proved_whatever_the_asserts_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("k.py").write_text(_checked("assert R == 128 and C & (C - 1) == 0"))
    ran = Ran(capsys, "k.py")
    assert ran.status == 0
    assert "guarded is legal where R == 128, C == 128 proved for all such shapes" in ran.out
    assert "there may be more legal shapes" in ran.out


LATE = HEAD + textwrap.dedent("""
    @nki.jit
    def late(x):
        R, C = x.shape
        assert R == 128
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.sbuf)
        last = C - 1 if C == 1000 else C
        nisa.dma_copy(dst=tile[:, 0:last], src=x[:, 0:last])
        nisa.dma_copy(dst=out, src=tile)
        return out
""")


def test_a_kernel_that_fails_in_its_domain_is_said_to_fail(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(LATE)
    ran = Ran(capsys, "k.py")
    assert ran.status == 1
    assert ran.out.startswith("late fails for some shapes where R == 128 phase 4 FAILED")
    assert "the kernel's own asserts enforce this" not in ran.out and "not proved" not in ran.out


def test_a_line_that_is_dead_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(LATE.replace("C - 1 if C == 1000 else C", "C if C <= 64 or 200 <= C <= 300 else C - 1"))
    ran = Ran(capsys, "k.py")
    assert "C <= 64" in ran.out
    assert ran.out.count("no assert to add") == 1


#: Nothing says how many dimensions x has.
PAGES = HEAD + textwrap.dedent("""
    @nki.jit
    def pages(x):
        page = x[0]
        assert page.shape[0] > 1
        out = nl.ndarray(page.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray(page.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=page)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=out, src=tile)
        return out
""")


def test_another_rank_is_tried_where_nothing_states_it(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(PAGES)
    ran = Ran(capsys, "k.py")
    assert ran.out.startswith("pages is legal where x0 == 1, x1 >= 2, x1 <= 128 proved for all such shapes")
    assert "assumed: --arg x='bf16[x0,x1,x2]'" in ran.out
    assert "with x of rank 2, it fails for every shape that was tried: tensor.operand_rank" in ran.out


def test_another_rank_is_tried_where_one_shape_alone_is_legal(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(PAGES.replace("    assert page.shape[0] > 1\n", ""))
    assert Ran(capsys, "k.py").out.startswith("pages is legal where x0 == 1, x1 <= 128 proved for all such shapes")


def test_a_rank_with_which_the_kernel_comes_further_shows_its_bug(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(PAGES.replace("dst=out, src=tile", "dst=out, src=tile[:, 1:]"))
    ran = Ran(capsys, "k.py")
    assert ran.status == 1
    assert "fails for every shape that was tried" in ran.out and "k.py:15" in ran.out
    assert "assumed: --arg x='bf16[x0,x1,x2]'" in ran.out


def test_a_rank_that_is_stated_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    stated = PAGES.replace("    page = x", "    N, F = x.shape\n    page = x", 1)
    Path("k.py").write_text(stated)
    ran = Ran(capsys, "k.py")
    assert "assumed: --arg x='bf16[N,F]'" in ran.out
    assert "of rank" not in ran.out


@pytest.mark.parametrize("loop", ["for t in (p, g, m):", "for t, _ in zip([p, g, m], range(3)):"])
def test_what_a_loop_over_a_tuple_does_is_done_to_each_of_it(loop: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = HEAD + textwrap.dedent(f"""
        @nki.jit
        def three(p, g, m):
            N = p.shape[0]
            out = nl.ndarray((128, N // 128), dtype=p.dtype, buffer=nl.shared_hbm)
            acc = nl.ndarray((128, N // 128), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=acc, value=0.0)
            {loop}
                tile = nl.ndarray((128, N // 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=t.reshape((128, N // 128)))
                nisa.tensor_tensor(dst=acc, data1=acc, data2=tile, op=nl.add)
            nisa.dma_copy(dst=out, src=acc)
            return out
    """)
    Path("k.py").write_text(text)
    ran = Ran(capsys, "k.py")
    assert "three is legal where N % 128 == 0, N == g0, N == m0 proved for all such shapes" in ran.out
    assert "assumed: --arg p='bf16[N]' --arg g='bf16[g0]' --arg m='bf16[m0]'" in ran.out


@pytest.mark.parametrize(
    ("wrong", "mended"),
    [
        # Off by one at each iteration: no assert mends it.
        ("dst=out[r * 128 : (r + 1) * 128, :]", True),
        ("", False),
    ],
)
def test_repair_is_named_where_asserts_do_not_mend(
    wrong: str, mended: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    text = BLOCKS.replace(wrong, "dst=out[r * 128 + 1 : (r + 1) * 128 + 1, :]") if wrong else BLOCKS
    Path("k.py").write_text(text)
    ran = Ran(capsys, "k.py", "--where", "C <= 7")
    assert ran.status == 1
    assert ("repair: nkiverify repair k.py::blocks --where 'C <= 7'" in ran.out) == mended


FIXED = HEAD + textwrap.dedent("""
    @nki.jit
    def fixed(lhsT, rhs):
        return product_of(lhsT, rhs)


    def product_of(lhsT, rhs):
        for operand, width in ((lhsT, 64), (rhs, 512)):
            assert operand.shape == (128, width), "one size"
        tiles = [nl.ndarray(one.shape, dtype=one.dtype, buffer=nl.sbuf) for one in (lhsT, rhs)]
        for tile, one in zip(tiles, (lhsT, rhs)):
            nisa.dma_copy(dst=tile, src=one)
        acc = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=acc, stationary=tiles[0], moving=tiles[1])
        made = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=made, src=acc)
        out = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=made)
        return out
""")


def test_a_kernel_of_one_size_that_a_helper_asserts_is_legal_there(capsys: pytest.CaptureFixture[str]) -> None:
    """Asserts of a helper, in a loop, are branches of which one ends: the sizes are where none does."""
    Path("k.py").write_text(FIXED, encoding="utf-8")
    ran = Ran(capsys, "k.py")
    assert ran.status == 0
    assert "fixed is legal where lhsT0 == 128, lhsT1 == 64, rhs0 == 128, rhs1 == 512 proved for all" in ran.out
