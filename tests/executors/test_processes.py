"""A target that hangs, dies or fails costs its own verdict, and no other's."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.target import Target
from nkiverify.results.session import ExitStatus, status_of
from nkiverify.run.executors.jobs import Executor, InProcess, Job, JobRuns, Verify, perform
from nkiverify.run.executors.processes import WorkerProcesses
from nkiverify.verify.options import Options
from tests.clocks import HANGS, eventually, set_ahead
from tests.executors.fakes import Record, marked, options, target, targets_by_name, verify

#: So often the executor asks for the time while it looks several times at what its workers have said.
ASKED = 40
#: Long enough for what does answer, on a busy machine: for what does not, the clock is set ahead.
GRACE = float(HANGS)


def fails(run: Run) -> bool:
    return status_of(run) is not ExitStatus.AS_EXPECTED


@dataclass(frozen=True)
class Report:
    """An outcome, in the order of the targets."""

    outcome: JobRuns
    targets: Sequence[Target]

    @property
    def runs(self) -> list[Run]:
        return [run for target in self.targets for run in self.outcome.by_job.get(target.name, ())]

    @property
    def not_run(self) -> tuple[str, ...]:
        return tuple(target.name for target in self.targets if target.name not in self.outcome.by_job)

    @property
    def interrupted(self) -> bool:
        return self.outcome.interrupted


def run(targets: Sequence[Target], executor: Executor, settings: Options, listener: Record | None = None) -> Report:
    jobs = [Job(target.name, target, settings) for target in targets]
    return Report(perform(jobs, executor, listener or Record(), fails if settings.fail_fast else None), targets)


def work(
    *names: str,
    processes: int = 2,
    listener: Record | None = None,
    memory: int | None = None,
    does: Verify = verify,
    **settings: Any,
) -> Report:
    """Run targets of these names in workers."""
    targets = [target(name) for name in names]
    load = partial(targets_by_name, names)
    executor = WorkerProcesses(targets, does, load, processes, memory=memory, grace=GRACE)
    return run(targets, executor, options(**settings), listener)


@dataclass
class Stalled:
    """What `folder` and `record` say of a run in which nothing goes on but what does not end."""

    folder: Path
    record: Record
    #: What has left its file, and what has finished.
    begun: Sequence[str]
    finished: Sequence[str] = ()

    def __call__(self) -> bool:
        done = {name for event, name in self.record.events if event == "finished"}
        return done >= set(self.finished) and all((self.folder / name).exists() for name in self.begun)


def verdicts(report: Report) -> dict[str, Verdict]:
    return {run.target: run.verdict for run in report.runs}


def test_results_arrive_as_they_are_ready_and_are_reported_in_the_order_of_the_manifest(tmp_path: Path) -> None:
    def go_on(event: str, name: str) -> None:
        if (event, name) == ("finished", "c"):
            (tmp_path / "go").touch()

    record = Record(act=go_on)
    outcome = work("late_a", "b", "c", listener=record, root=tmp_path, timeout=HANGS)
    assert [name for event, name in record.events if event == "finished"] == ["b", "c", "late_a"]
    assert [run.target for run in outcome.runs] == ["late_a", "b", "c"]
    assert (outcome.not_run, outcome.interrupted) == ((), False)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("killed", "killed by SIGKILL; retried alone, the worker process was killed by SIGKILL"),
        ("exit", "ended with exit status 7"),
        ("quit", "SystemExit: a kernel should not do this"),
        ("raise", "ValueError: a fault of the verifier"),
        ("unpicklable", "cannot pickle"),
        ("odd", "sent what is no answer; retried alone, the worker process sent what is no answer"),
        ("strange", "sent what is no answer; retried alone, the worker process sent what is no answer"),
    ],
)
@pytest.mark.parametrize("processes", [1, 2])
def test_a_target_that_takes_its_worker_down_is_an_error_and_the_others_have_verdicts(
    name: str, reason: str, processes: int
) -> None:
    outcome = work("a", name, "b", "c", processes=processes)
    assert verdicts(outcome) == {
        "a": Verdict.SUCCESSFUL, name: Verdict.ERROR, "b": Verdict.SUCCESSFUL, "c": Verdict.SUCCESSFUL
    }  # fmt: skip
    assert reason in next(run.reason for run in outcome.runs if run.target == name)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_worker_that_forks_answers_once(processes: int) -> None:
    outcome = work("forks", "failed", "slow_a", "b", processes=processes)
    assert verdicts(outcome) == {
        "forks": Verdict.SUCCESSFUL, "failed": Verdict.FAILED, "slow_a": Verdict.SUCCESSFUL, "b": Verdict.SUCCESSFUL
    }  # fmt: skip


@pytest.mark.parametrize("names", [["twice"], ["twice", "failed", "b"], ["slow_a", "failed", "twice"]])
@pytest.mark.parametrize("processes", [1, 2])
def test_of_a_job_that_is_answered_twice_no_answer_counts(names: list[str], processes: int) -> None:
    outcome = work(*names, processes=processes)
    wanted = {"twice": Verdict.ERROR, "failed": Verdict.FAILED}
    assert verdicts(outcome) == {name: wanted.get(name, Verdict.SUCCESSFUL) for name in names}
    assert next(run.reason for run in outcome.runs if run.target == "twice").startswith("its worker process answered")


def test_a_death_is_retried_once_when_nothing_else_runs(tmp_path: Path) -> None:
    record = Record()
    outcome = work(f"dies-once_{tmp_path}", "slow_a", "slow_b", "c", listener=record)
    assert {run.verdict for run in outcome.runs} == {Verdict.SUCCESSFUL}
    assert [name.split("_")[0] for event, name in record.events if event == "finished"][-1] == "dies-once"
    assert len([name for event, name in record.events if event == "started"]) == 4


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say what a process holds")
def test_a_target_that_allocates_without_end_is_stopped_and_the_others_have_verdicts() -> None:
    outcome = work("a", "allocates", "b", "c", memory=400 << 20)
    assert verdicts(outcome) == {
        "a": Verdict.SUCCESSFUL, "allocates": Verdict.UNKNOWN, "b": Verdict.SUCCESSFUL, "c": Verdict.SUCCESSFUL
    }  # fmt: skip
    stopped = next(run for run in outcome.runs if run.target == "allocates")
    assert stopped.qualifier == "memory limit 400 MiB"


@pytest.mark.parametrize("jump", [-1e6, 1e6])
def test_a_clock_that_jumps_ends_nothing_early_and_lets_nothing_run_on(
    jump: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true_time = time.time

    def set_clock(event: str, name: str) -> None:
        monkeypatch.setattr(time, "time", lambda: true_time() + jump)

    record = Record(act=set_clock)
    set_ahead(monkeypatch, Stalled(tmp_path, record, ["hang"], ["slow_a"]), ASKED)
    outcome = work("slow_a", "hang", listener=record, does=partial(marked, tmp_path))
    assert verdicts(outcome) == {"slow_a": Verdict.SUCCESSFUL, "hang": Verdict.UNKNOWN}


def test_a_fault_of_the_verifier_comes_with_its_traceback() -> None:
    (run,) = work("raise").runs
    assert "in verify" in run.traceback and run.traceback.endswith("ValueError: a fault of the verifier\n")


@pytest.mark.parametrize("name", ["hang", "deaf", "floods_nothing", "drips"])
def test_a_target_that_does_not_answer_in_time_is_stopped_and_unknown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Record()
    set_ahead(monkeypatch, Stalled(tmp_path, record, [name], ["a", "b", "c"]), ASKED)
    outcome = work("a", name, "b", "c", listener=record, does=partial(marked, tmp_path))
    assert verdicts(outcome) == {
        "a": Verdict.SUCCESSFUL, name: Verdict.UNKNOWN, "b": Verdict.SUCCESSFUL, "c": Verdict.SUCCESSFUL
    }  # fmt: skip
    stopped = next(run for run in outcome.runs if run.target == name)
    assert stopped.qualifier == "time-out 0.2 s"
    assert "no verdict within 0.2 s" in stopped.reason


def test_a_target_that_ends_in_its_grace_keeps_its_verdict() -> None:
    assert verdicts(work("slow", timeout=0.2)) == {"slow": Verdict.SUCCESSFUL}


def test_a_stopped_target_has_a_run_for_every_phase_it_was_to_run_in() -> None:
    dying = target("exit", expect={1: Verdict.FAILED, 2: Verdict.SUCCESSFUL})
    for phases, expected in ((None, [1, 2]), ((2,), [2])):
        outcome = run([dying], WorkerProcesses([dying], verify, dict, 1, grace=GRACE), options(phases=phases))
        assert [run.phase for run in outcome.runs] == expected
        assert [run.expected for run in outcome.runs] == [dying.expect[phase] for phase in expected]


@pytest.mark.parametrize(
    ("name", "verdict", "qualifier"),
    [("tells_hang", Verdict.UNKNOWN, "time-out 0.2 s"), ("tells_exit", Verdict.ERROR, "")],
)
def test_a_stopped_target_keeps_the_verdicts_that_it_had(
    name: str, verdict: Verdict, qualifier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "tells_hang":
        set_ahead(monkeypatch, (tmp_path / f"{name} told").exists, ASKED)
    both = target(name, expect={1: Verdict.FAILED, 2: Verdict.SUCCESSFUL})
    executor = WorkerProcesses([both], partial(marked, tmp_path), partial(targets_by_name, [name]), 1, grace=GRACE)
    runs = run([both], executor, options()).runs
    assert [(run.phase, run.verdict, run.qualifier) for run in runs] == [
        (1, Verdict.SUCCESSFUL, ""), (2, verdict, qualifier)
    ]  # fmt: skip


@pytest.mark.parametrize(("engine", "reason"), [("auto", "whole"), ("embedded", "")])
def test_only_what_has_every_verdict_has_time_for_a_cross_check(
    engine: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than the clock is set ahead by.
    monkeypatch.setattr("nkiverify.foundation.budget.SecondEngineBudget.SECONDS", 2e5)

    def go_on(event: str, name: str) -> None:
        if (event, name, engine) == ("finished", "hang", "auto"):
            (tmp_path / "go").touch()

    record = Record(act=go_on)
    set_ahead(monkeypatch, Stalled(tmp_path, record, ["late told", "hang"]), ASKED)
    outcome = work("late", "hang", engine=engine, listener=record, does=partial(marked, tmp_path), root=tmp_path)
    assert verdicts(outcome) == {"late": Verdict.SUCCESSFUL, "hang": Verdict.UNKNOWN}
    assert outcome.runs[0].reason == reason


def test_a_worker_takes_one_target_after_another() -> None:
    pids = {run.reason for run in work("pid_a", "pid_b", "pid_c", "pid_d", "pid_e", processes=2).runs}
    assert len(pids) <= 2 and str(os.getpid()) not in pids


def test_an_answer_larger_than_a_pipe_arrives_whole() -> None:
    (run,) = work("large").runs
    assert len(run.reason) == 5_000_000


def test_what_a_kernel_prints_does_not_get_into_the_report(capfd: pytest.CaptureFixture[str]) -> None:
    work("print")
    out, err = capfd.readouterr()
    assert (out, err) == ("", "kernel output\n")


def test_fail_fast_stops_what_is_running_and_starts_nothing() -> None:
    outcome = work("hang_a", "failed", "c", "d", fail_fast=True)
    assert verdicts(outcome) == {"failed": Verdict.FAILED}
    assert (outcome.not_run, outcome.interrupted) == (("hang_a", "c", "d"), False)


def test_without_fail_fast_a_failure_stops_nothing() -> None:
    assert work("failed", "b").not_run == ()


def test_ctrl_c_keeps_what_has_finished_and_ends_the_workers() -> None:
    running: list[int] = []

    def interrupt(event: str, name: str) -> None:
        if (event, name) == ("finished", "b"):
            running.extend(_workers())
            raise KeyboardInterrupt

    outcome = work("hang_a", "b", "c", listener=Record(act=interrupt))
    assert outcome.interrupted
    assert verdicts(outcome) == {"b": Verdict.SUCCESSFUL}
    assert outcome.not_run == ("hang_a", "c")
    assert running and not set(running) & set(_workers())


def test_workers_are_spawned_where_forking_would_copy_held_locks() -> None:
    held = threading.Event()
    thread = threading.Thread(target=held.wait)
    thread.start()
    try:
        outcome = work("a", "killed", "pid")
    finally:
        held.set()
        thread.join()
    assert verdicts(outcome) == {"a": Verdict.SUCCESSFUL, "killed": Verdict.ERROR, "pid": Verdict.SUCCESSFUL}


PARENT = """
import multiprocessing
from tests.executors.fakes import Record
from tests.executors.test_processes import work

if __name__ == "__main__":
    def tell(event, name):
        print(multiprocessing.active_children()[0].pid, flush=True)

    work("hang", listener=Record(act=tell), timeout=600)
"""


def test_workers_end_when_their_parent_is_killed() -> None:
    top = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", PARENT], cwd=top, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    assert eventually(lambda: not _alive(worker))


def in_process(*names: str, **settings: Any) -> Report:
    return run([target(name) for name in names], InProcess(verify), options(**settings))


def test_in_this_process_a_fault_costs_its_target_only() -> None:
    outcome = in_process("a", "raise", "quit", "pid")
    assert verdicts(outcome) == {
        "a": Verdict.SUCCESSFUL, "raise": Verdict.ERROR, "quit": Verdict.ERROR, "pid": Verdict.SUCCESSFUL
    }  # fmt: skip
    assert outcome.runs[-1].reason == str(os.getpid())


def test_in_this_process_ctrl_c_keeps_what_has_finished() -> None:
    outcome = in_process("a", "interrupted", "c")
    assert (verdicts(outcome), outcome.not_run, outcome.interrupted) == (
        {"a": Verdict.SUCCESSFUL}, ("interrupted", "c"), True
    )  # fmt: skip


def test_in_this_process_fail_fast_starts_nothing_more() -> None:
    assert in_process("a", "failed", "c", fail_fast=True).not_run == ("c",)


def _workers() -> list[int]:
    """The worker processes there are."""
    return [process.pid for process in multiprocessing.active_children() if process.pid is not None]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
