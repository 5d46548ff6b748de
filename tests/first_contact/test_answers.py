"""What `check` finds, prints and writes for files and folders of which nothing is told."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation.resources import root

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


def test_a_kernel_that_checks_its_shapes_is_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(GUARDED)
    ran = Ran(capsys, "k.py")
    assert ran.status == 0
    assert "guarded is legal where R % 128 == 0 proved for all such shapes, 4 phases" in ran.out
    assert "the kernel checks it itself" in ran.out
    assert "limits: C <= 106492 (SBUF, k.py:14)" in ran.out


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
        "from nkiverify.project.manifest import SUCCESSFUL, Kind, target\n"
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
