"""A Dask cluster gives the verdicts that this machine gives; what is lost of it costs no verdict that is there."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.records import Verdict
from nkiverify.project.manifest_targets import load_targets
from nkiverify.run.confinement import landlock_version
from nkiverify.run.executors import choice
from nkiverify.run.executors.jobs import Job, JobRuns, perform
from nkiverify.run.executors.parcels import Parcel, relocated
from nkiverify.verify.options import Options
from tests.clocks import HANGS
from tests.executors.fakes import Record

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl
from sizes import COLUMNS


@nki.jit
def load(a, rows):
    tile = nl.ndarray((rows, COLUMNS), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
"""

MANIFEST = """
import os
import time
from pathlib import Path

from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import float32

time.sleep(0.2)  # so that the threads of a worker are here at the same time


def declared(expected):
    return target(kernel="load.py::load", family="load", kind=Kind.UNBOUNDED, expect={1: expected})


def load(v, extra):
    n = v.dim("n", high=64)
    v.call(v.tensor("a", (n, 512), float32), n + extra)


@declared(SUCCESSFUL)
def good(v):
    load(v, 0)


@declared(FAILED)
def bad(v):
    load(v, 1)


@declared(SUCCESSFUL)
def loses_its_worker(v):
    if not Path(os.environ["NKIVERIFY_TEST_MARK"]).exists():
        Path(os.environ["TMPDIR"], "mark").write_text(f"{os.getppid()} to be ended")
        time.sleep(600)
    load(v, 0)


@declared(SUCCESSFUL)
def reaches_out(v):
    try:
        os.mkfifo(os.environ["NKIVERIFY_TEST_MARK"])
    except PermissionError:
        load(v, 0)


@declared(SUCCESSFUL)
def hangs(v):
    time.sleep(600)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose kernel imports a module from its top."""
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / "load.py").write_text(KERNEL)
    (repository / "sizes.py").write_text("COLUMNS = 512\n")
    (repository / "nkiverify_targets.py").write_text(MANIFEST)
    return repository


def local_cluster(threads: int = 1) -> Any:
    """A cluster of one worker. Dask is imported here: kernels run slower in a process that has many modules, and each
    process of the suite collects this file."""
    from distributed import LocalCluster

    return LocalCluster(n_workers=1, threads_per_worker=threads, dashboard_address=None, silence_logs=50)


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Any]:
    """A cluster of one worker with two threads that runs on."""
    with local_cluster(threads=2) as found:
        yield found


def on(address: str, root: Path, *names: str, act: Callable[[str, str], None] | None = None) -> JobRuns:
    """Run targets of the repository on the cluster."""
    from nkiverify.run.executors.cluster import DaskCluster

    options = Options(root=root, timeout=HANGS)
    targets = {target.name: target for target in load_targets(root)}
    jobs = [Job(name, targets[name], options) for name in names]
    record = Record(act=act) if act is not None else Record()
    return perform(jobs, DaskCluster(address, options, 2), record)


def test_the_report_is_the_same_as_that_of_worker_processes(
    root: Path, scheduler: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    address = scheduler.scheduler_address.replace("tcp://", "dask://")
    reports = []
    for executor in (address, "in-process"):
        asked = ["--engine", "embedded", "--no-cache", "--executor", executor, "--json", "out.json"]
        status = main(["good", "bad", *asked])
        document = json.loads((root / "out.json").read_text())
        for run in document["runs"]:
            del run["milliseconds"]
        reports.append((status, document["runs"]))
    assert reports[0] == reports[1]
    assert [run["verdict"] for run in reports[0][1]] == ["SUCCESSFUL", "FAILED"]


def test_the_jobs_of_a_lost_worker_are_done_again(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The process of the target may write to a folder of its own there, and nowhere else.
    scratch, mark = tmp_path / "scratch", tmp_path / "mark"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setenv("NKIVERIFY_TEST_MARK", str(mark))

    def lose() -> None:
        # Its own process cannot: it sends no signals to others.
        while not (told := [one.read_text() for one in scratch.rglob("mark")]) or not told[0].endswith("ended"):
            time.sleep(0.05)
        mark.touch()
        os.kill(int(told[0].split()[0]), signal.SIGKILL)

    threading.Thread(target=lose, daemon=True).start()
    with local_cluster() as own:
        outcome = on(own.scheduler_address, root, "loses_its_worker", "good")
    assert mark.exists()
    assert {name: runs[0].verdict for name, runs in outcome.by_job.items()} == {
        "loses_its_worker": Verdict.SUCCESSFUL, "good": Verdict.SUCCESSFUL
    }  # fmt: skip


@pytest.mark.skipif(landlock_version() < 3, reason="the system has no Landlock, or an old one")
def test_kernels_are_confined_on_a_cluster(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("NKIVERIFY_TEST_MARK", str(tmp_path / "mark"))
    with local_cluster() as own:
        outcome = on(own.scheduler_address, root, "reaches_out")
    assert not (tmp_path / "mark").exists()
    assert [run.verdict for run in outcome.by_job["reaches_out"]] == [Verdict.SUCCESSFUL]


def test_a_scheduler_that_goes_away_costs_no_verdict_that_is_there(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = local_cluster()
    ends: list[threading.Thread] = []

    def end_scheduler(event: str, name: str) -> None:
        if event == "finished":
            monkeypatch.setattr("nkiverify.run.executors.cluster.SCHEDULER_SECONDS", 2.0)
            ends.append(threading.Thread(target=own.close))
            ends[0].start()

    outcome = on(own.scheduler_address, root, "good", "hangs", act=end_scheduler)
    ends[0].join()
    assert list(outcome.by_job) == ["good"]
    assert "Dask scheduler" in outcome.problem and not outcome.interrupted


def test_ctrl_c_keeps_what_has_finished(root: Path, scheduler: Any) -> None:
    def interrupt(event: str, name: str) -> None:
        if event == "finished":
            raise KeyboardInterrupt

    outcome = on(scheduler.scheduler_address, root, "good", "hangs", act=interrupt)
    assert (list(outcome.by_job), outcome.interrupted) == (["good"], True)


def test_a_scheduler_that_is_not_there_is_a_usage_error(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("nkiverify.run.executors.cluster.SCHEDULER_SECONDS", 0.5)
    monkeypatch.chdir(root)
    assert main(["good", "--no-cache", "--executor", "dask://127.0.0.1:9"]) == 2
    assert "there is no Dask scheduler at tcp://127.0.0.1:9" in capsys.readouterr().err


def test_without_dask_the_message_says_what_to_install(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "nkiverify.run.executors.cluster", raising=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'nkiverify\[dask\]'"):
        choice.made(Options(root=root, executor="dask-local"), [], starts_programs=False)


@pytest.mark.parametrize("name", ["dask", "dask://", "dask://host", "dask://host:", "threads", "dask://HOST:PORT"])
def test_an_executor_that_does_not_exist_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError, match="there is no executor"):
        choice.checked(name)


@pytest.mark.parametrize("kind", ["of another user", "writable by all", "a link"])
def test_a_place_that_somebody_else_may_write_to_is_not_used(
    kind: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parcel = Parcel.of(root)
    user = os.getuid() + (kind == "of another user")
    monkeypatch.setattr(os, "getuid", lambda: user)
    place = tmp_path / f"nkiverify-{user}-{parcel.digest[:32]}"
    made = tmp_path / "elsewhere" if kind == "a link" else place
    made.mkdir(mode=0o700)
    (made / "load.py").write_text("EVIL = True")
    if kind == "a link":
        place.symlink_to(made)
    if kind == "writable by all":
        made.chmod(0o777)
    found = parcel.unpacked(tmp_path)
    assert found != place
    assert (found / "load.py").read_text() == KERNEL


def test_what_a_parcel_holds_comes_out_again_and_paths_are_those_of_the_sender(root: Path, tmp_path: Path) -> None:
    (root / ".venv").mkdir()
    (root / ".venv" / "secret.py").write_text("")
    parcel = Parcel.of(root)
    assert sorted(parcel.files) == ["load.py", "nkiverify_targets.py", "sizes.py"]
    place = parcel.unpacked(tmp_path)
    assert (place / "load.py").read_text() == KERNEL
    assert parcel.unpacked(tmp_path) == place
    (target, *_) = load_targets(place)
    assert relocated(target.file, place, parcel.root) == str(root / "nkiverify_targets.py")
