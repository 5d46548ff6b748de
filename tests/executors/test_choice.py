"""Which executor it is, and in which order it gets its jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.run import resident_memory
from nkiverify.run.executors.choice import longest_first, made, processes_of
from nkiverify.run.executors.jobs import InProcess
from nkiverify.run.executors.processes import WorkerProcesses
from nkiverify.run.resident_memory import MEBIBYTE
from nkiverify.verify.options import Options
from tests.executors.fakes import target


def test_what_took_longest_is_first_and_what_is_not_known_before_it() -> None:
    targets = [target(name) for name in ("short", "new", "long", "newer")]
    order = longest_first(targets, {"short": 1.0, "long": 100.0})
    assert [each.name for each in order] == ["new", "newer", "long", "short"]


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (Options(Path("/"), jobs=1), WorkerProcesses),
        (Options(Path("/"), jobs=2), WorkerProcesses),
        (Options(Path("/"), jobs=2, executor="in-process"), InProcess),
    ],
)
def test_kernels_run_in_workers_unless_this_process_is_asked_for(options: Options, kind: type) -> None:
    assert type(made(options, [target("a")], starts_programs=False)) is kind


def test_there_are_no_more_processes_than_jobs() -> None:
    assert [processes_of(Options(Path("/"), jobs=8), jobs) for jobs in (0, 1, 8, 9)] == [1, 1, 8, 8]


def test_workers_share_the_memory_of_the_machine_but_each_has_enough_to_work(monkeypatch: pytest.MonkeyPatch) -> None:
    page = 4096
    pages = {"SC_PHYS_PAGES": 20_000 * MEBIBYTE // page, "SC_PAGE_SIZE": page}
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    monkeypatch.setattr(resident_memory, "Path", lambda name: Path("/nowhere"))
    limits = [resident_memory.default_limit(processes) for processes in (1, 2, 1000)]
    assert [limit // MEBIBYTE for limit in limits if limit is not None] == [18_000, 9_000, 1024]
