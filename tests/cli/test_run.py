"""`nkiverify [NAME …]` from the manifest to the exit status, on a small project of its own."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from nkiverify.foundation import resources
from nkiverify.phases import PHASES
from nkiverify.results import codec as json_results
from tests.clocks import HANGS, eventually
from tests.quick import main

TOP = Path(__file__).parents[2]

KERNELS = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def load(a, rows):
    tile = nl.ndarray((rows, 512), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
    out = nl.ndarray((rows, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def raises(a, rows):
    raise RuntimeError("out of ideas")


@nki.jit
def runs_for_ever(a, rows):
    while a.shape[0] >= 0:
        pass


not_a_function = 3
"""

HARNESS = '''
from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import float32


def rows_loaded(v, rows):
    n = v.dim("n", high=64)
    v.call(v.tensor("a", (n, 512), float32), n + rows)


def good(v):
    """As many rows as there are."""
    rows_loaded(v, 0)


def control(v):
    """One row too many."""
    rows_loaded(v, 1)


def empty(v):
    v.assume(v.dim("m", low=2, high=3) < 1)
    rows_loaded(v, 0)


def never_called(v):
    v.dim("n")


def declare(function, kernel="load", expect=SUCCESSFUL, name=None):
    function.__name__ = name or function.__name__
    target(kernel=f"kernels/small.py::{kernel}", family="small", kind=Kind.SYMBOLIC, expect={1: expect})(function)


declare(good)
declare(control, expect=FAILED)
'''


class Project:
    """A folder with a manifest of its own, which the command line works in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.results = folder / "reports" / "results.json"
        (folder / "kernels").mkdir()
        (folder / "harness").mkdir()
        (folder / "stubs").symlink_to(resources.root() / "stubs")
        (folder / "kernels" / "small.py").write_text(KERNELS, encoding="utf-8")
        self.declare("")

    def declare(self, lines: str) -> None:
        """Add targets to the manifest."""
        (self.folder / "harness" / "small.py").write_text(HARNESS + lines, encoding="utf-8")

    def verdicts(self) -> dict[str, str]:
        """What results.json says, by target."""
        return {entry["target"]: entry["verdict"] for entry in self.document()["runs"]}

    def document(self) -> dict[str, Any]:
        """All that results.json says."""
        document: dict[str, Any] = json.loads(self.results.read_text(encoding="utf-8"))
        return document


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    project = Project(tmp_path)
    monkeypatch.setattr(resources, "root", lambda: tmp_path)
    monkeypatch.setattr(resources, "reports", lambda: tmp_path / "reports")
    return project


def test_a_run_prints_writes_and_exits_as_the_targets_expect(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = project.folder / "extra.json"
    assert main(["--json", str(extra)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines()[0].split() == ["target", "ph", "expected", "actual", "qualifier", "claims", "ms"]
    assert out.splitlines()[-1] == "all as expected"
    assert project.verdicts() == {"good": "SUCCESSFUL", "control": "FAILED"}
    assert extra.read_text() == project.results.read_text()
    schema = json.loads((TOP / "docs" / "results.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(project.document())
    assert schema["$defs"]["run"]["properties"]["phase"]["maximum"] == max(PHASES)


def test_a_second_engine_that_cannot_be_used_is_said_in_a_line_and_left_out(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ESBMC", "/bin/false")
    assert main(["--engine", "auto", "--no-cache"]) == 0
    printed = capsys.readouterr()
    (said,) = [line for line in printed.err.splitlines() if "ESBMC" in line]
    assert said.startswith("nkiverify: ESBMC is not asked: /bin/false")
    assert "esbmc" not in printed.out
    assert main(["--engine", "both", "--no-cache"]) == 2


def test_a_failure_names_contract_line_and_shapes(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["control"]) == 0
    out = capsys.readouterr().out
    assert "dma_copy.count" in out and "at       kernels/small.py:10" in out
    assert "witness  n = 1" in out
    assert "reproduced by running the kernel" in " ".join(out.split())


@pytest.mark.parametrize(
    ("lines", "status", "verdict"),
    [
        ("declare(control, expect=SUCCESSFUL, name='t')", 1, "FAILED"),
        ("declare(good, expect=FAILED, name='t')", 1, "SUCCESSFUL"),
        ("declare(good, kernel='raises', name='t')", 1, "FAILED"),
        ("declare(empty, name='t')", 5, "VACUOUS"),
        ("declare(never_called, name='t')", 5, "VACUOUS"),
    ],
)
@pytest.mark.parametrize("jobs", [["-j", "1"], []])
def test_what_is_not_as_expected_decides_the_exit_status(
    project: Project, lines: str, status: int, verdict: str, jobs: list[str]
) -> None:
    project.declare(lines)
    assert main(["good", "t", *jobs]) == status
    assert project.verdicts() == {"good": "SUCCESSFUL", "t": verdict}


def test_a_kernel_that_does_not_end_is_unknown_in_time(project: Project) -> None:
    project.declare("declare(good, kernel='runs_for_ever', name='t')")
    assert main(["t", "--timeout", "1"]) == 3
    assert project.verdicts() == {"t": "UNKNOWN"}


def test_the_gravest_of_several_endings_wins(project: Project) -> None:
    project.declare("declare(empty, name='t')\ndeclare(control, name='u')")
    assert main([]) == 1


def test_fail_fast_leaves_the_rest(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.declare("declare(control, name='first')\ndeclare(good, name='second')")
    assert main(["first", "second", "--fail-fast", "-j1"]) == 1
    assert project.document()["not_run"] == ["second"]
    assert "stopped before 1 target: second" in capsys.readouterr().out


def test_list_runs_nothing(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "c*"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["control  symbolic  FAILED   -        -        -"]
    assert not project.results.exists()


def test_filters_that_leave_nothing_verify_nothing(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["good", "--phase", "2"]) == 5
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "no target is left" in err


def test_names_may_stand_anywhere(project: Project) -> None:
    assert main(["good", "--phase", "1", "control", "-j2"]) == 0
    assert project.verdicts().keys() == {"good", "control"}


def test_the_default_command_has_a_name_too(project: Project) -> None:
    assert main(["run", "good"]) == 0
    assert project.verdicts() == {"good": "SUCCESSFUL"}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import no_such_module", "harness/small.py:1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("def f(:", "harness/small.py:1: SyntaxError:"),
        ("\n1 / 0", "harness/small.py:2: ZeroDivisionError:"),
        ("from nkiverify.manifest import target\ntarget(kernel='k', family='', kind=1, expect={})(lambda v: 0)",
         "small.py:2: target <lambda>: a kernel is written path/to/file.py::function"),
    ],
)  # fmt: skip
def test_a_harness_module_that_cannot_be_used_is_named(
    project: Project, capsys: pytest.CaptureFixture[str], source: str, message: str
) -> None:
    (project.folder / "harness" / "small.py").write_text(source, encoding="utf-8")
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"nkiverify: error: {message}")


def test_a_full_disk_costs_the_file_and_not_the_verdicts(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(content: str, path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(json_results, "write", full)
    assert main(["good"]) == 4
    out, err = capsys.readouterr()
    assert "1 run" in out and "all as expected" not in out and "not written: " in out
    assert err == f"nkiverify: error: {project.results} could not be written: No space left on device\n"


def test_an_error_of_our_own_is_one_line_and_a_traceback_on_request(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(session: object) -> str:
        raise LookupError("a defect")

    monkeypatch.setattr(json_results, "text", broken)
    assert main(["good"]) == 4
    assert capsys.readouterr().err == "nkiverify: internal error: LookupError: a defect (--debug shows the traceback)\n"
    with pytest.raises(LookupError):
        main(["good", "--debug"])


SCRIPT = """
import sys
from pathlib import Path
from nkiverify.foundation import resources
from nkiverify.cli.main import main

folder = Path(__file__).parent
resources.root, resources.reports = lambda: folder, lambda: folder / "reports"
if __name__ == "__main__":
    sys.exit(main([*sys.argv[1:], "--engine", "embedded"]))
"""


@pytest.fixture
def command(project: Project) -> list[str]:
    """The program as a process of its own, in the project."""
    script = project.folder / "program.py"
    script.write_text(SCRIPT, encoding="utf-8")
    return [sys.executable, str(script), "--no-page"]


def start(command: list[str], **more: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(TOP)} | more
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.parametrize("jobs", [["-j", "1"], ["-j", "2"]])
def test_ctrl_c_reports_and_writes_what_has_finished(project: Project, command: list[str], jobs: list[str]) -> None:
    project.declare(
        "import os, pathlib, time\n"
        "def mark(v):\n"
        "    pathlib.Path(os.environ['TMPDIR'], 'begun').touch()\n"
        "    time.sleep(6000)\n"
        "declare(mark, name='t')\n"
    )
    # The process of the target may write to a folder of its own there, and nowhere else.
    scratch = project.folder / "scratch"
    scratch.mkdir()
    process = start([*command, *jobs], TMPDIR=str(scratch))
    assert eventually(lambda: process.poll() is not None or any(scratch.rglob("begun")))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert (process.returncode, err) == (130, "")
    document = project.document()
    assert document["interrupted"] is True
    assert f"interrupted before {len(document['not_run'])} target" in out
    # Two workers: the third target begins when the first of the others has finished.
    others = {"good": "SUCCESSFUL", "control": "FAILED"}
    assert project.verdicts() and project.verdicts().items() <= others.items()
    assert sorted([*document["not_run"], *project.verdicts()]) == ["control", "good", "t"]


def test_a_reader_that_leaves_early_does_not_cost_the_results(project: Project, command: list[str]) -> None:
    process = start(command)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), err) == (141, "")
    assert project.verdicts() == {"good": "SUCCESSFUL", "control": "FAILED"}
