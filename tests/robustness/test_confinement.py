"""What the system takes from a process that runs kernels, tried in one; and that a check runs in such a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nkiverify.run.confinement import has_seccomp, landlock_version
from tests.check.kernel_files import COPY, write

TOP = Path(__file__).parents[2]

SCRIPT = """
import os, socket, sys, time
from pathlib import Path
from nkiverify.run.confinement import Confinement

Confinement((Path("kept"),), {network}).begin()
try:
    {tried}
    print("done")
except OSError:
    print("refused")
"""

needs_landlock = pytest.mark.skipif(landlock_version() < 3, reason="the system has no Landlock, or an old one")
needs_seccomp = pytest.mark.skipif(not has_seccomp(), reason="the system has no seccomp")


def tried(line: str, folder: Path, network: bool = False) -> str:
    """What becomes of `line` in a confined process that may write below `kept`, and in the folder of its own."""
    for name in ("kept", "tmp"):
        (folder / name).mkdir()
    (folder / "victim").write_text("victim")
    environment = os.environ | {"PYTHONPATH": str(TOP), "TMPDIR": str(folder / "tmp")}
    command = [sys.executable, "-c", SCRIPT.format(tried=line, network=network)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
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
        ("assert os.system('touch made 2> /dev/null') == 0 or not Path('made').exists()", "done"),
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


@needs_landlock
def test_what_python_tells_of_nobody_is_refused_by_the_system(tmp_path: Path) -> None:
    write(tmp_path, k=COPY.replace("P, F = a.shape", "P, F = a.shape\n        import os; os.mkfifo('made')"))
    command = [sys.executable, "-m", "nkiverify", "check", "k.py::copy", "--arg", "a=bf16[P,F]"]
    (tmp_path / "tmp").mkdir()
    environment = os.environ | {"PYTHONPATH": str(TOP), "TMPDIR": str(tmp_path / "tmp")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 3
    assert "the kernel asks for what it may not" in " ".join(done.stdout.split())
    assert not (tmp_path / "made").exists()
