"""What the system takes from a process that runs kernels, tried in one; and that a check runs in such a process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from nkiverify.run.confinement import has_seccomp, landlock_version
from tests.check.kernel_files import COPY, write
from tests.clocks import HANGS

TOP = Path(__file__).parents[2]

SCRIPT = """
import os, socket, sys, time
from pathlib import Path
from nkiverify.run.confinement import Confinement

{before}
Confinement((Path("kept"),), {network}, {programs}, {memory}).begin(Path(os.environ['TMPDIR']))
try:
    {tried}
    print("done")
except OSError:
    print("refused")
except MemoryError:
    print("no memory")
"""

needs_landlock = pytest.mark.skipif(landlock_version() < 3, reason="the system has no Landlock, or an old one")
needs_seccomp = pytest.mark.skipif(not has_seccomp(), reason="the system has no seccomp")


def tried(
    line: str,
    folder: Path,
    network: bool = False,
    *,
    programs: bool = False,
    memory: int | None = None,
    before: str = "",
) -> str:
    """What becomes of `line` in a process that may write below `kept`, and in the folder of its own, and was confined
    after it had executed `before`."""
    for name in ("kept", "tmp"):
        (folder / name).mkdir()
    (folder / "victim").write_text("victim")
    environment = os.environ | {"PYTHONPATH": str(TOP), "TMPDIR": str(folder / "tmp")}
    script = SCRIPT.format(tried=line, network=network, programs=programs, memory=memory, before=before)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@needs_landlock
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Path('kept/made').write_text('x')", "done"),
        ("Path('made').write_text('x')", "refused"),
        ("os.mkdir('kept/made'); os.rename('kept/made', 'kept/other'); os.rmdir('kept/other')", "done"),
        ("os.mkdir('made')", "refused"),
        ("os.mkfifo('made')", "refused"),
        ("os.mknod('made')", "refused"),
        ("os.symlink('victim', 'made')", "refused"),
        ("os.remove('victim')", "refused"),
        ("os.truncate('victim', 0)", "refused"),
        ("os.rename('victim', 'kept/made')", "refused"),
        ("os.link('victim', 'kept/made')", "refused"),
        ("Path('victim').read_text()", "done"),
        ("os.listdir('/')", "done"),
        ("Path(os.environ['TMPDIR'], 'made').write_text('x')", "done"),
        ("Path('/dev/null').write_text('x')", "done"),
    ],
)
def test_files_change_only_where_they_may(line: str, found: str, tmp_path: Path) -> None:
    assert tried(line, tmp_path) == found
    assert (tmp_path / "victim").read_text() == "victim"
    assert not (tmp_path / "made").exists()


@pytest.mark.skipif(landlock_version() < 6, reason="the system's Landlock does not know of signals")
@pytest.mark.parametrize(("process", "found"), [("os.getppid()", "refused"), ("os.getpid()", "done")])
def test_signals_go_to_nobody_else(process: str, found: str, tmp_path: Path) -> None:
    assert tried(f"os.kill({process}, 0)", tmp_path) == found


@needs_seccomp
@pytest.mark.parametrize(
    ("line", "network", "found"),
    [
        ("socket.socket()", False, "refused"),
        ("socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)", False, "refused"),
        ("socket.socketpair()", False, "done"),
        ("socket.socket()", True, "done"),
        ("time.clock_settime(99, 0.0)", False, "refused"),
    ],
)
def test_no_sockets_and_no_setting_of_clocks(line: str, network: bool, found: str, tmp_path: Path) -> None:
    assert tried(line, tmp_path, network) == found


@needs_seccomp
@pytest.mark.parametrize(
    "line",
    [
        "os.chmod('victim', 0)",
        "os.chmod('kept', 0)",
        "os.chmod(os.open('victim', 0), 0)",
        "os.chmod('victim', 0, dir_fd=os.open('.', 0))",
        "os.chown('victim', 0, 0)",
        "os.lchown('victim', 0, 0)",
        "os.fchown(os.open('victim', 0), 0, 0)",
        "os.utime('victim', (0, 0))",
        "os.utime(os.open('victim', 0), (0, 0))",
        "os.setxattr('victim', 'user.a', b'1')",
        "os.setxattr(os.open('victim', 0), 'user.a', b'1')",
        "os.removexattr('victim', 'user.a')",
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "os.nice(1)",
        "os.sched_setaffinity(os.getppid(), {0})",
        "os.sched_setscheduler(os.getppid(), os.SCHED_BATCH, os.sched_param(0))",
        "os.sched_setparam(os.getppid(), os.sched_param(0))",
        "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (64, 64))",
    ],
)
def test_nothing_else_of_files_or_other_processes_changes(line: str, tmp_path: Path) -> None:
    assert tried(line, tmp_path, programs=True) == "refused"


#: Names and numbers of system calls on x86_64, from the kernel's table, that change files, processes or the machine.
CALLS = {
    name: int(number)
    for name, _, number in (
        one.partition(" ") for one in Path(__file__).with_name("calls.txt").read_text().splitlines()
    )
}


@needs_seccomp
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
def test_each_call_is_refused_whoever_makes_it(tmp_path: Path) -> None:
    # With arguments of which none makes sense: what is not refused changes nothing either.
    line = f"""import ctypes; libc = ctypes.CDLL(None, use_errno=True)
    for name, number in {CALLS}.items():
        found = libc.syscall(number, *[ctypes.c_long(-1)] * 6)
        if found != -1 or ctypes.get_errno() != 1: print(name, found, ctypes.get_errno())"""
    assert tried(line, tmp_path) == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="processes are confined on Linux")
def test_each_process_has_a_folder_of_temporary_files_that_goes_with_it(tmp_path: Path) -> None:
    from nkiverify.run.confinement import Confinement
    from nkiverify.run.supervisor import in_child

    def work() -> str:
        folder = tempfile.gettempdir()
        Path(folder, "made").write_text("x")
        return f"{folder} {os.environ['TMPDIR']}"

    found = [str(in_child("k", work, HANGS, Confinement())) for _ in range(2)]
    folders = [one.split() for one in found]
    assert all(one == other for one, other in folders) and folders[0] != folders[1]
    assert not any(Path(folder).exists() for folder, _ in folders)


@needs_seccomp
@pytest.mark.parametrize(
    ("line", "programs", "found"),
    [
        ("os._exit(0) if os.fork() == 0 else os.wait()", False, "refused"),
        ("os.execv('/bin/true', ['true'])", False, "refused"),
        ("os.posix_spawn('/bin/true', ['true'], {})", False, "refused"),
        ("import subprocess; subprocess.run(['/bin/true'], check=True)", False, "refused"),
        ("import subprocess; subprocess.run(['/bin/true'], check=True)", True, "done"),
        ("import threading; t = threading.Thread(target=print); t.start(); t.join()", False, "\ndone"),
    ],
)
def test_no_processes_but_those_of_an_esbmc(line: str, programs: bool, found: str, tmp_path: Path) -> None:
    assert tried(line, tmp_path, programs=programs).strip() == found.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes are set on Linux")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Path('tmp/large').open('wb').truncate(4 << 30)", "done"),
        ("Path('tmp/large').open('wb').truncate((4 << 30) + 1)", "refused"),
        ("bytearray(100 << 20)", "done"),
        ("bytearray(2 << 30)", "no memory"),
        ("import resource; print(resource.getrlimit(resource.RLIMIT_CORE)[1], end=' ')", "0 done"),
    ],
)
def test_files_and_memory_have_limits(line: str, found: str, tmp_path: Path) -> None:
    assert tried(line, tmp_path, memory=200 << 20) == found


@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes are set on Linux")
def test_what_the_process_had_before_is_not_counted(tmp_path: Path) -> None:
    done = tried("bytearray(100 << 20)", tmp_path, memory=200 << 20, before="before = bytearray(2 << 30)")
    assert done == "done"


def test_processor_time_has_a_limit_that_nobody_has_to_watch() -> None:
    code = """
        import os, time
        from nkiverify.run.confinement import processor_time

        with processor_time(1000):
            pass
        for long in (float("inf"), 1e300):
            with processor_time(long):
                pass
        print("begun", flush=True)
        with processor_time(0.01):
            while True:
                pass
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=os.environ | {"PYTHONPATH": str(TOP)},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert (done.stdout, done.returncode) == ("begun\n", -signal.SIGXCPU)


REFUSED = {
    "kernel": ("P, F = a.shape", "P, F = a.shape; os.mkfifo('made')", 9),
    "loop": ("part = nl", "os.mkfifo('made'); part = nl", 14),
    "handler": ("P, F = a.shape", "P, F = a.shape\n        try: os.mkfifo('made')\n        except OSError: pass", 10),
    "temporary file": ("P, F = a.shape", "P, F = a.shape; tempfile.TemporaryFile().truncate(5 << 30)", 9),
}


@needs_landlock
@pytest.mark.parametrize(("line", "tried", "number"), REFUSED.values(), ids=REFUSED.keys())
def test_what_the_system_refuses_is_unknown_with_its_place(line: str, tried: str, number: int, tmp_path: Path) -> None:
    write(tmp_path, k=COPY.replace("import nki\n", "import os, tempfile\n    import nki\n", 1).replace(line, tried, 1))
    command = [sys.executable, "-m", "nkiverify", "check", "k.py::copy", "--arg", "a=bf16[P,F]", "--phase", "1"]
    (tmp_path / "tmp").mkdir()
    environment = os.environ | {"PYTHONPATH": str(TOP), "TMPDIR": str(tmp_path / "tmp")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=HANGS)
    said = " ".join(done.stdout.split())
    assert done.returncode == 3, said
    asked = r"the kernel asks for (what it may not|more than there is): \[Errno \d+\] [\w ]+ at k.py"
    assert re.search(f"{asked}:{number}", said), said
    assert "in the symbolic run only" not in said
    assert not (tmp_path / "made").exists()
