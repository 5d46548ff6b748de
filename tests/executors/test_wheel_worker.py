"""A Dask worker that has the wheel and nothing else verifies kernels that travel to it as data."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.foundation.resources import root
from nkiverify.project.manifest_targets import load_targets
from nkiverify.run.executors.jobs import Job, perform
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.clocks import HANGS
from tests.executors.fakes import Record

NAMES = ("transpose2d", "transpose2d_129_rows", "avgpool_buggy")


@pytest.fixture
def scheduler(wheel_site: Path, tmp_path: Path) -> Iterator[Any]:
    """A scheduler with one worker, which was started in a folder of its own and finds nkiverify in the wheel only."""
    from distributed import LocalCluster  # here, as in test_cluster.py

    with LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as cluster:
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        command = [*worker, "--nthreads", "1", "--no-dashboard", "--local-directory", str(tmp_path / "scratch")]
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        environment = os.environ | {"PYTHONPATH": str(wheel_site)}
        with subprocess.Popen(command, cwd=elsewhere, env=environment, stderr=subprocess.DEVNULL) as running:
            try:
                yield cluster
            finally:
                running.terminate()


def _told(run: Run) -> Run:
    return replace(run, milliseconds=0.0)


@pytest.mark.campaign
def test_a_worker_with_the_wheel_alone_gives_the_verdicts_of_this_machine(
    scheduler: Any, wheel_site: Path, tmp_path: Path
) -> None:
    from distributed import Client

    from nkiverify.run.executors.cluster import DaskCluster

    def where() -> tuple[str, str, bool]:  # in here it is sent as a whole: the worker has no tests to find it in
        from nkiverify.foundation import resources

        return os.getcwd(), resources.__file__, resources.in_checkout()  # noqa: PTH109

    address = scheduler.scheduler_address
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=HANGS)
        (found,) = client.run(where).values()
    assert found == (str(tmp_path / "elsewhere"), str(wheel_site / "nkiverify" / "foundation" / "resources.py"), False)
    options = Options(root=root(), phases=(1, 2), engine="embedded")
    targets = {target.name: target for target in load_targets(root())}
    jobs = [Job(name, targets[name], options) for name in NAMES]
    outcome = perform(jobs, DaskCluster(address, options, 1), Record())
    assert {name: list(map(_told, runs)) for name, runs in outcome.by_job.items()} == {
        name: [_told(run) for run in verify(targets[name], options)] for name in NAMES
    }
    assert {run.verdict for runs in outcome.by_job.values() for run in runs} == {Verdict.SUCCESSFUL, Verdict.FAILED}
