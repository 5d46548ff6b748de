"""What the command line refuses: one line on stderr, exit status 2, and nothing is run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nkiverify import __version__
from nkiverify.cli.main import COMMANDS, main, parser_of
from nkiverify.foundation.resources import root

WRONG = {
    "a phase that is not there": (["--phase", "7"], "argument --phase: there is no phase 7; the phases are 1, 2"),
    "no phase at all": (["--phase", ""], "argument --phase: '' is not a list of phases such as 1,2"),
    "a phase that is no number": (["--phase", "1,two"], "argument --phase: '1,two' is not a list of phases"),
    "no workers": (["-j", "0"], "argument -j/--jobs: '0' is not a positive integer"),
    "a negative bound": (["--unwind=-1"], "argument --unwind: '-1' is not a positive integer"),
    "no time": (["--timeout", "0"], "argument --timeout: '0' is not a positive number of seconds"),
    "time without end": (["--timeout", "inf"], "argument --timeout: 'inf' is not a positive number of seconds"),
    "time that is no number": (["--timeout", "nan"], "argument --timeout: 'nan' is not a positive number of seconds"),
    "hardware that is not there": (["--target", "trn9"], "argument --target: invalid choice: 'trn9'"),
    "an option that is not there": (["--frobnicate"], "unrecognized arguments: --frobnicate"),
    "half an option": (["--fail"], "unrecognized arguments: --fail"),
    "a missing folder": (["--json", "/nowhere/r.json"], "--json: there is no folder /nowhere"),
    "a folder for a file": (["--json", "/"], "--json: / is a folder"),
    "a target that is not there": (["matmul_tild"], "no target is named 'matmul_tild'; did you mean matmul_tiled"),
    "a glob without a target": (["zzz*"], "no target matches 'zzz*'"),
    "a rule of the language like another": (
        ["explain", "lang.depreciated"],
        "no contract has the id 'lang.depreciated'; did",
    ),
    "a warning among contracts": (
        ["contracts", "df.overwritten"],
        "df.overwritten is a warning, and no contract: nkiverify explain",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_mistake_gets_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"nkiverify: error: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(("word", "meant"), [("chek", "check"), ("simulat", "simulate"), ("matmul", "")])
def test_a_word_like_a_command_is_asked_about(word: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word, "k.py"]) == 2
    err = capsys.readouterr().err
    assert err.endswith(f"is the command `{meant}` meant?\n") == bool(meant)
    assert err.count("\n") == 1


def test_the_help_names_every_command_and_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    listed = {line.split()[0] for line in text.splitlines() if line.startswith("  ") and line.strip()}
    assert set(COMMANDS) <= listed
    for name in COMMANDS:
        help_ = parser_of(name, 80).format_help()
        assert [line for line in help_.splitlines() if len(line) > 80] == [], name


def output(*arguments: str) -> str:
    """What a Python process prints, run at the top of the checkout."""
    done = subprocess.run([sys.executable, *arguments], cwd=root(), capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("program", [["verify.py"], ["-m", "nkiverify"]])
def test_the_version_is_printed_by_either_program(program: list[str]) -> None:
    assert output(*program, "--version") == f"nkiverify {__version__}\n"


def test_the_version_needs_no_solver_and_no_manifest() -> None:
    script = (
        "import sys, nkiverify.cli.main as c\nsys.argv[1:] = ['--version']\n"
        "try: c.console()\nexcept SystemExit: print(*sys.modules)"
    )
    version, modules = output("-c", script).splitlines()
    assert version == f"nkiverify {__version__}"
    ours = {name for name in modules.split() if name.startswith("nkiverify.") and name.count(".") == 2}
    assert "nkiverify.cli.main" in ours
    assert {name.split(".")[1] for name in ours} == {"cli", "foundation"}
    assert not {"z3", "numpy", "tabulate", "multiprocessing"} & set(modules.split())


def test_a_check_loads_a_solver_when_it_has_a_question_and_islpy_for_phase_4(tmp_path: Path) -> None:
    """They take a third of the time of a small check. What the solver is called is not what a kernel's module is."""
    (tmp_path / "z3.py").write_text("raise RuntimeError('this is not the solver')\n")
    (tmp_path / "load.py").write_text(_LOAD)
    program = (
        "import sys, nkiverify.cli.main as c, nkiverify.run.supervisor as s;"
        "s.in_child = lambda _, work, *rest: work();"
        "print(c.main(sys.argv[1:]), *({'z3', 'islpy'} & sys.modules.keys()))"
    )
    rows = ["check", str(tmp_path / "load.py::load"), "--arg", "a=bf16[R,512]", "--phase"]
    plain = output("-c", program, *rows, "1,2", "--where", "R <= 128")
    assert plain.splitlines()[-1] == "0"
    assert "islpy" in output("-c", program, *rows, "4", "--where", "R <= 128").splitlines()[-1]
    asked = output("-c", program, *rows, "1", "--where", "R * R * R == 27 * R * R")
    assert asked.splitlines()[-1] == "0 z3"


_LOAD = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def load(a):
    tile = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
"""


def test_help_names_every_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    page = (root() / "docs" / "verdicts.md").read_text(encoding="utf-8")
    for status in (0, 1, 2, 3, 4, 5, 130):
        assert f"\n  {status} " in text
        assert f"\n| {status} |" in page


def test_a_json_file_that_cannot_be_written_is_refused_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write anywhere
    assert main(["--json", str(tmp_path / "r.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err
