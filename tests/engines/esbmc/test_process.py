"""A process is over when `run` returns or raises, whatever it does, and everything it has started with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nkiverify.engines.esbmc import esbmc_process
from nkiverify.engines.esbmc.esbmc_process import Finished, ProcessEnding
from nkiverify.foundation.clock import counting
from tests.clocks import HANGS, eventually, set_ahead
from tests.engines.esbmc.scripts import script

#: Starts a child that outlives its parent unless someone kills it, and writes its id into the working folder.
CHILD = """
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
open("child", "w").write(str(child.pid))
"""
#: What a program does that never ends, and says so to `hanging`.
HANG = "open('hangs', 'w'); time.sleep(6000)\n"


def run(folder: Path, code: str, seconds: float = HANGS, output: int = 10**6) -> Finished:
    return esbmc_process.run([script(folder / "program", code)], folder, seconds, output=output)


def is_running(pid: int) -> bool:
    """True if the process executes; one that has ended and waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def child_of(folder: Path) -> int:
    return int((folder / "child").read_text())


def test_output_comes_whole_and_standard_error_behind_standard_output(tmp_path: Path) -> None:
    finished = run(tmp_path, "print('err', file=sys.stderr, flush=True)\nprint('x' * 100_000)\nraise SystemExit(3)")
    assert (finished.ending, finished.status) == (ProcessEnding.EXITED, 3)
    assert finished.text == "x" * 100_000 + "\nerr\n"


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a program whose time is over when it hangs."""
    set_ahead(monkeypatch, (tmp_path / "hangs").exists)
    return tmp_path


def test_a_process_that_hangs_is_stopped_with_its_children(hanging: Path) -> None:
    finished = run(hanging, CHILD + "print('begun', flush=True)\n" + HANG)
    assert (finished.ending, finished.status, finished.text) == (ProcessEnding.TIMED_OUT, None, "begun\n")
    assert eventually(lambda: not is_running(child_of(hanging)))


def test_one_that_does_not_listen_to_signals_is_stopped(hanging: Path) -> None:
    deaf = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    assert run(hanging, deaf + HANG).ending is ProcessEnding.TIMED_OUT


def test_one_that_closes_its_output_and_stays_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = subprocess.Popen.wait

    def wait(program: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if timeout is not None:
            raise subprocess.TimeoutExpired("the program", timeout)
        return genuine(program)

    monkeypatch.setattr(subprocess.Popen, "wait", wait)
    finished = run(tmp_path, "print('last words', flush=True)\nos.close(1)\nos.close(2)\ntime.sleep(6000)")
    assert (finished.ending, finished.text) == (ProcessEnding.TIMED_OUT, "last words\n")


def test_children_that_hold_the_output_open_are_not_waited_for(tmp_path: Path) -> None:
    finished = run(tmp_path, CHILD + "print('done')", seconds=HANGS / 2)
    assert (finished.ending, finished.status, finished.text) == (ProcessEnding.EXITED, 0, "done\n")
    assert eventually(lambda: not is_running(child_of(tmp_path)))


def test_a_flood_of_output_is_cut_off(tmp_path: Path) -> None:
    finished = run(tmp_path, "while True: print('x' * 1000)", output=100_000)
    assert finished.ending is ProcessEnding.FLOODED
    assert len(finished.text) < 300_000


def test_the_signal_that_kills_a_process_is_told(tmp_path: Path) -> None:
    finished = run(tmp_path, "print('half a li', end='', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)")
    assert (finished.ending, finished.status, finished.text) == (ProcessEnding.EXITED, -signal.SIGSEGV, "half a li")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no limit for another process")
def test_memory_is_limited(tmp_path: Path) -> None:
    greedy = (
        "import resource\nwhile resource.getrlimit(resource.RLIMIT_AS)[0] < 0: time.sleep(0.01)\n"
        "block = bytearray(2**30)\nprint('got it')"
    )
    finished = esbmc_process.run([script(tmp_path / "program", greedy)], tmp_path, HANGS, memory=2**29)
    assert finished.status == 1
    assert "MemoryError" in finished.text


def test_what_cannot_be_started_is_no_exception(tmp_path: Path) -> None:
    finished = esbmc_process.run([tmp_path / "nothing"], tmp_path, 5)
    assert finished.status != 0
    assert "No such file" in finished.text


def test_the_environment_is_the_same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESBMC_OPTS", "--no-assertions")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    finished = run(tmp_path, "for name in sorted(os.environ): print(name, os.environ[name], sep='=')")
    environment = dict(line.split("=", 1) for line in finished.text.splitlines())
    assert environment["ESBMC_CONFIG_FILE"] == ""
    assert environment["HOME"] == environment["TMPDIR"] == str(tmp_path)
    assert "ESBMC_OPTS" not in environment
    assert str(tmp_path) not in environment["PATH"]


def test_nothing_is_read_from_the_terminal(tmp_path: Path) -> None:
    assert run(tmp_path, "print(repr(sys.stdin.read()))").text == "''\n"


#: Runs a program that has a child, in the folder that is its argument.
CALLER = """
import sys
from pathlib import Path
from nkiverify.engines.esbmc import esbmc_process
esbmc_process.run([Path(sys.argv[1]) / "program"], Path(sys.argv[1]), 600)
"""


@pytest.mark.parametrize(
    "sent",
    [
        signal.SIGINT,
        pytest.param(
            signal.SIGKILL, marks=pytest.mark.skipif(sys.platform != "linux", reason="nothing tells a process of it")
        ),
    ],
)
def test_nothing_is_left_behind_when_we_are_interrupted_or_killed(tmp_path: Path, sent: signal.Signals) -> None:
    script(tmp_path / "program", "open('self', 'w').write(str(os.getpid()))\nopen('begun', 'w')\ntime.sleep(600)")
    with subprocess.Popen([sys.executable, "-c", CALLER, tmp_path], stderr=subprocess.DEVNULL) as caller:
        assert eventually((tmp_path / "begun").exists)
        caller.send_signal(sent)
        caller.wait(HANGS)
    assert eventually(lambda: not is_running(int((tmp_path / "self").read_text())))


def test_time_that_is_left_is_of_the_clock_that_counts(tmp_path: Path) -> None:
    command = ["sleep", "1"]
    assert esbmc_process.run_within(command, tmp_path, 2.0, 0.5).ending is ProcessEnding.TIMED_OUT
    with counting(processor=True):
        assert esbmc_process.run_within(command, tmp_path, 2.0, 0.5).ending is ProcessEnding.EXITED
