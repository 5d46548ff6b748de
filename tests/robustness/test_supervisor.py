"""A command in a process of its own: whatever ends it, or keeps it, is told, and never reads as success."""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import resource
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nkiverify.foundation.errors import UsageError, described
from nkiverify.foundation.records import Verdict
from nkiverify.products.simulate.simulation import Simulated
from nkiverify.results.session import ExitStatus
from nkiverify.run import supervisor
from nkiverify.run import unpickled as unpickling
from nkiverify.run.confinement import Confinement
from nkiverify.run.supervisor import Stopped, in_child
from nkiverify.run.unpickled import unpickled
from tests.check.kernel_files import COPY, write
from tests.report.samples import COUNT_VIOLATION

TOP = Path(__file__).parents[2]
#: Seconds after which what has not ended is said to hang: what does end does so on any machine, however busy.
HANGS = 300

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands are supervised on Linux")

COMMAND = """
import contextlib, fcntl, os, signal, stat, sys, time
from nkiverify.run import supervisor
from nkiverify.run.supervisor import ChildLimits, has_begun, supervised

LIMITS = ChildLimits({limits})

def is_pipe(fd):
    try:
        return fcntl.fcntl(fd, fcntl.F_GETFL) & 3 == os.O_WRONLY and stat.S_ISFIFO(os.fstat(fd).st_mode)
    except OSError:
        return False

def command():
    print("begun", flush=True)
    with has_begun(LIMITS) if LIMITS.subject else contextlib.nullcontext():
        {body}
    return 7

sys.exit(supervised(command, LIMITS))
"""


def run(body: str, limits: str = "'', float('inf')") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(body=body, limits=limits)],
        env=os.environ | {"PYTHONPATH": str(TOP)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ("pass", 7, ""),
        ("sys.exit(5)", 5, ""),
        ("print('unflushed', end='')", 7, ""),
        ("os._exit(0)", 4, "ended with exit status 0 before it was done"),
        ("os.kill(os.getpid(), signal.SIGKILL)", 4, "was ended by SIGKILL before it was done"),
        ("os._exit(0) if os.fork() else time.sleep(1)", 4, "ended with exit status 0 before it was done"),
        ("os.fork()", 7, ""),
        ("os.kill(os.getpid(), signal.SIGTERM)", 4, "was ended by SIGTERM before it was done"),
        ("os.closerange(3, 64); time.sleep(600)", 4, "was ended by SIGKILL before it was done"),
        ("raise BaseException", 4, "ended with exit status 4 before it was done"),
        ("import atexit; atexit.register(os._exit, 0)", 7, ""),
        ("import atexit; atexit.register(time.sleep, 600)", 7, ""),
        ("import threading; threading.Thread(target=time.sleep, args=(600,)).start()", 7, ""),
        ("type('D', (), {'__del__': lambda self: 1 / 0})()", 7, "Python ignores ZeroDivisionError at <string>:"),
        ("[supervisor._tell('begun') for _ in 'ab']", 4, "a kernel reported in place of the process that runs it"),
        ("supervisor._tell('free')", 4, "a kernel reported in place of the process that runs it"),
        ("\n            while True: os.write(supervisor._parent.reports, b'x' * 99)", 4, "a kernel reported in place"),
    ],
)
def test_how_a_command_ends_is_told(body: str, status: int, told: str) -> None:
    with run(body) as process:
        out, err = process.communicate(timeout=HANGS)
    assert process.returncode == status
    assert out.startswith("begun")
    assert ("unflushed" in out) is ("unflushed" in body)
    assert (told in err) if told else not err
    assert len(err.splitlines()) == bool(told)


@pytest.mark.parametrize(
    ("limits", "body", "status", "told"),
    [
        ("'k.py::k', 0.2", "time.sleep(600)", 3, "UNKNOWN: k.py::k: no verdict within 0.2 s"),
        ("'k', 600, 1", "\n            while True: pass", 3, "k: no verdict within 1 s of processor time"),
        ("'k', 600, 1", "time.sleep(2)", 7, ""),
        ("'k.py::k', 600", "os._exit(0)", 4, "k.py::k: the process that runs kernels ended"),
        ("'k', 600", "os.kill(os.getpid(), signal.SIGTERM)", 4, "k: the process that runs"),
        ("'k', 0.2", "os.kill(os.getpid(), signal.SIGSTOP)", 3, "UNKNOWN: k: no verdict within"),
        (
            "'k', 600, float('inf'), 200",
            "x = bytearray(300 << 20); time.sleep(600)",
            3,
            "UNKNOWN: k: the process that runs kernels held more than 200 MiB and was stopped",
        ),
        ("'k', 600, float('inf'), 400", "x = bytearray(100 << 20)", 7, ""),
    ],
)
def test_how_a_command_with_limits_ends_is_told(limits: str, body: str, status: int, told: str) -> None:
    with run(body, limits) as process:
        _, err = process.communicate(timeout=HANGS)
    assert (process.returncode, len(err.splitlines())) == (status, bool(told))
    assert told in err


def test_what_a_kernel_writes_to_every_descriptor_that_it_can_guess_is_no_answer() -> None:
    with run("[os.write(fd, b'done\\t0\\n') for fd in range(3, 64) if is_pipe(fd)]; time.sleep(600)") as process:
        out, err = process.communicate(timeout=HANGS)
    assert (out, process.returncode) == ("begun\n", 4)
    assert "error: a kernel reported in place of the process that runs it" in err


@pytest.mark.parametrize(
    ("busy", "limits"),
    [("time.sleep(600)", "'', 600"), ("while True: pass", "'', 600"), ("10 ** (10**9)", "'k', 600")],
)
def test_an_interrupt_ends_it_at_once(busy: str, limits: str) -> None:
    with run(f"signal.signal(signal.SIGINT, signal.SIG_DFL)\n        {busy}", limits) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(HANGS) == 130
        assert process.stderr is not None and "interrupted" in process.stderr.read()


def test_what_has_finished_can_be_reported_after_an_interrupt() -> None:
    body = (
        "\n            try: print('ready', flush=True); time.sleep(600)"
        "\n            except KeyboardInterrupt: time.sleep(1); print('saved', flush=True); return 130"
    )
    with run(body) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["begun\n", "ready\n"]
        # As a terminal does it: to all processes, and then we send it as well.
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=HANGS)
    assert (out, process.returncode) == ("saved\n", 130)


def test_the_command_ends_with_a_parent_that_is_killed() -> None:
    with run("print(os.getpid(), flush=True); time.sleep(600)") as process:
        assert process.stdout is not None
        process.stdout.readline()
        child = int(process.stdout.readline())
        process.kill()
    deadline = time.monotonic() + HANGS
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.kill(child, 0)
            if " Z " in Path(f"/proc/{child}/stat").read_text():
                return
            time.sleep(0.05)
        os.kill(child, signal.SIGKILL)
        pytest.fail("the child outlives its parent")


KERNELS = {
    "ends its process": ("P, F = a.shape\n        import os; os._exit(0)", "600", 4, "ended with exit status 0"),
    "is busy in C": ("P, F = a.shape\n        10 ** (10 ** 9)", "2", 3, "UNKNOWN: k.py::copy: no verdict within 2 s"),
}


@pytest.mark.parametrize(("line", "seconds", "status", "told"), KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("given", [["--arg", "a=bf16[P,F]"], []], ids=["described", "inferred"])
def test_a_kernel_cannot_end_a_check_in_silence(
    line: str, seconds: str, status: int, told: str, given: list[str], tmp_path: Path
) -> None:
    write(tmp_path, k=COPY.replace("P, F = a.shape", line, 1))
    command = [sys.executable, "-m", "nkiverify", "check", "k.py::copy", *given, "--timeout", seconds]
    environment = os.environ | {"PYTHONPATH": str(TOP)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == status, done.stderr
    assert told in done.stderr and len(done.stderr.splitlines()) == 1


def test_ctrl_c_while_modules_are_loaded_is_told_in_a_line() -> None:
    program = """
        import os, signal, sys
        from nkiverify.__main__ import console

        class Interrupts:
            def find_spec(self, name, path=None, target=None):
                if name == "nkiverify.cli.main":
                    os.kill(os.getpid(), signal.SIGINT)

        sys.meta_path.insert(0, Interrupts())
        sys.exit(console())
    """
    command = [sys.executable, "-c", textwrap.dedent(program), "contracts"]
    environment = os.environ | {"PYTHONPATH": str(TOP)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=HANGS)
    assert (done.returncode, done.stderr) == (130, "nkiverify: interrupted\n")


def test_a_file_that_never_ends_loading_is_stopped(tmp_path: Path) -> None:
    write(tmp_path, k=COPY.replace("@nki.jit", "while True: pass\n\n\n    @nki.jit"))
    command = [sys.executable, "-m", "nkiverify", "check", "k.py::copy", "--arg", "a=bf16[P,F]", "--timeout", "1"]
    environment = os.environ | {"PYTHONPATH": str(TOP)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1 and "no verdict within 1 s" in done.stderr


class _OfAKernel(Exception):
    pass


def _keeps(answer: str) -> str:
    supervisor.keep(answer)
    return answer


def _raises(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (lambda: (7, "seven"), (7, "seven")),
        (lambda: os._exit(0), Stopped(4)),
        (lambda: time.sleep(600), Stopped(3)),
        (lambda: time.sleep(600 if _keeps("half") else 0), Stopped(3, "half")),
        (lambda: _keeps("half") and os._exit(0), Stopped(4, "half")),
        (lambda: _keeps("half") and 7, 7),
        (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)), Stopped(4)),
        (lambda: sys.exit(0), "RuntimeError: SystemExit: 0"),
        (lambda: _raises(_OfAKernel("no")), "RuntimeError: _OfAKernel: no"),
        (lambda: _raises(ValueError("no")), "ValueError: no"),
    ],
)
def test_one_call_in_a_child_has_its_result_or_its_error_or_none(work: Callable[[], object], expected: object) -> None:
    try:
        # What is to come to its end has the time for it.
        stopped = isinstance(expected, Stopped) and expected.status == 3
        found: object = in_child("k", work, 2.0 if stopped else HANGS, Confinement())
    except Exception as error:
        found = described(error)
    assert found == expected


class _Opens:
    """Opens a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, ...]:
        return open, (str(self._path), "w")


def test_what_a_kernel_writes_in_place_of_an_answer_is_not_executed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def forge() -> None:
        for entry in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                if "answer" in str(entry.readlink()):
                    os.write(int(entry.name), pickle.dumps(_Opens(tmp_path / "made")))
        supervisor._tell("done", "0")
        os._exit(0)

    assert in_child("k", forge, HANGS, Confinement()) == Stopped(4)
    assert not (tmp_path / "made").exists()
    assert "error: k: its answer cannot be read" in capfd.readouterr().err


@pytest.mark.parametrize(
    "named",
    [
        "os system",
        "builtins eval",
        "builtins getattr",
        "builtins SystemExit",
        "builtins KeyboardInterrupt",
        "nkiverify.foundation.records bounds_of",
        "nkiverify.foundation.records Run.__init__.__globals__",
        "nkiverify.foundation.source FrameType",
        "nkiverify.foundation.source NoSuchThing",
        "nkiverify.run.executors.processes WorkerProcesses",
        "nkiverify.results.cache.store save",
        "pathlib Path",
    ],
)
def test_nothing_but_records_is_made_of_an_answer(named: str) -> None:
    module, name = (word.encode() for word in named.split())
    content = b"".join((pickle.PROTO, b"\x04", *(b"\x8c%c%s" % (len(one), one) for one in (module, name)), b"\x93."))
    with pytest.raises(pickle.UnpicklingError, match="nothing that is answered"):
        unpickled(content)


def _opcodes(module: str, name: str, state: object, made_of: object = None) -> bytes:
    """A pickle of a class, or of what it makes of `made_of`, that gives it a state."""
    words = b"".join(b"\x8c%c%s" % (len(one), one.encode()) for one in (module, name))
    made = b"" if made_of is None else pickle.dumps((made_of,), 4)[2:-1] + b"R"
    return pickle.PROTO + b"\x04" + words + b"\x93" + made + pickle.dumps(state, 4)[2:-1] + b"b."


def _doubled(times: int) -> list[object]:
    """A list of lists of lists, each of which has the next one twice."""
    found: list[object] = ["a"]
    for _ in range(times):
        found = [found, found]
    return found


RECORDS = "nkiverify.foundation.records"


@pytest.mark.parametrize(
    "content",
    [
        _opcodes(RECORDS, "Verdict", {"_value_": "SUCCESSFUL"}, "FAILED"),
        _opcodes(RECORDS, "Verdict", (None, {"value": "SUCCESSFUL"})),
        _opcodes(RECORDS, "Run", (None, {"verdict": 3})),
        _opcodes("nkiverify.products.simulate.simulation", "Simulated", (None, {"status": 0})),
        _opcodes("nkiverify.foundation.errors", "UsageError", (None, {"excerpt": 0})),
        pickle.dumps(_doubled(60)),
        pickle.dumps([replace(COUNT_VIOLATION, line="3")]),  # type: ignore[arg-type]
        pickle.dumps([replace(COUNT_VIOLATION, witness={"P": None})]),  # type: ignore[dict-item]
    ],
    ids=["a member", "its class", "a record's", "one that changes", "an exception's", "doubled", "a line", "a witness"],
)
def test_an_answer_changes_nothing_that_is_there_and_has_fields_of_their_types(content: bytes) -> None:
    before = (Verdict.FAILED.value, vars(Simulated).get("status"), UsageError.excerpt)
    with pytest.raises((pickle.UnpicklingError, TypeError)):
        unpickled(content)
    assert (Verdict.FAILED.value, vars(Simulated).get("status"), UsageError.excerpt) == before


def test_texts_of_an_answer_are_harmless() -> None:
    found = unpickled(pickle.dumps([replace(COUNT_VIOLATION, message="\x1b[31m\n::error::")]))
    assert found == [replace(COUNT_VIOLATION, message="\\x1b[31m\n\\::error::")]


def test_a_call_in_a_child_leaves_no_descriptor_open() -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = descriptors()
    for _ in range(3):
        assert in_child("k", lambda: 1, 10, Confinement()) == 1
    assert descriptors() == before


def test_records_are_what_they_were() -> None:
    assert unpickled(pickle.dumps([COUNT_VIOLATION, ExitStatus.UNKNOWN])) == [COUNT_VIOLATION, ExitStatus.UNKNOWN]
    for module in (*unpickling._MODULES, *supervisor._OURS):
        importlib.import_module(module)
