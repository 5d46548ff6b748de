"""The history: what is recorded, by several at once, into old, damaged and unwritable databases."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from pathlib import Path

import pytest

from nkiverify.foundation import resources
from nkiverify.foundation.records import Verdict
from nkiverify.results import run_history
from nkiverify.results.session import Session
from tests.quick import main
from tests.report.samples import refuted, run, session

SESSION = session(run(), run(phase=2), refuted(), run(target="other", verdict=Verdict.UNKNOWN, qualifier="a loop"))


def _record(path: str, times: int) -> None:
    for _ in range(times):
        run_history.record(SESSION, Path(path))


def test_what_was_recorded_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "history.db"
    assert run_history.sessions(path) == [] and run_history.runs_of("matmul_tiled", path) == []
    run_history.record(SESSION, path)
    (past,) = run_history.sessions(path)
    assert (past.targets, past.runs, past.as_expected, past.claims) == (3, 4, 3, 48)
    assert (past.started, past.seconds, past.exit_status) == ("2026-11-21T09:30:00+00:00", 1.234, 3)
    (unknown,) = run_history.runs_of("other", path)
    assert (unknown.verdict, unknown.qualifier, unknown.as_expected) == ("UNKNOWN", "a loop", False)
    assert [one.phase for one in run_history.runs_of("matmul_tiled", path)] == [1, 2]
    assert run_history.target_names(path) == ["matmul_tiled", "matmul_tiled_buggy", "other"]
    assert len(run_history.runs_in(past.id, path)) == 4


def test_a_session_without_runs_is_not_recorded(tmp_path: Path) -> None:
    run_history.record(session(), tmp_path / "history.db")
    assert list(tmp_path.iterdir()) == []


def test_runs_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_record, args=(str(path), 5)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert [past.runs for past in run_history.sessions(path)] == [4] * 20


def test_a_reader_does_not_see_half_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "history.db"
    run_history.record(SESSION, path)

    def full(*_: object) -> tuple[object, ...]:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(run_history, "_row", full)
    with pytest.raises(run_history.HistoryError, match="disk is full"):
        run_history.record(SESSION, path)
    assert len(run_history.sessions(path)) == 1


def test_an_old_database_is_brought_up_to_date_with_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "history.db"
    run_history.record(SESSION, path)
    later = (*run_history.MIGRATIONS, ("ALTER TABLE session ADD COLUMN mood TEXT NOT NULL DEFAULT ''",))
    monkeypatch.setattr(run_history, "MIGRATIONS", later)
    run_history.record(SESSION, path)
    assert [past.runs for past in run_history.sessions(path)] == [4, 4]


def _as_the_first_version(path: Path) -> None:
    """A database as it was before there was a cache, a second engine, or a sweep."""
    connection = sqlite3.connect(path)
    connection.execute("ALTER TABLE run DROP COLUMN cached")
    connection.execute("ALTER TABLE run DROP COLUMN advisory")
    connection.execute("DROP TABLE sweep_item")
    connection.execute("PRAGMA user_version = 1")
    connection.close()


def test_a_database_of_the_first_version_is_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    run_history.record(SESSION, path)
    _as_the_first_version(path)
    assert [past.cached for past in run_history.sessions(path)] == [0]
    _as_the_first_version(path)
    run_history.record(session(run(cached=True)), path)
    assert [past.cached for past in run_history.sessions(path)] == [0, 1]
    assert [past.cached for past in run_history.runs_of("matmul_tiled", path)] == [False, False, True]


def test_a_database_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    run_history.record(SESSION, path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(run_history.HistoryError, match="written by a newer nkiverify"):
        run_history.record(SESSION, path)
    with pytest.raises(run_history.HistoryError, match="written by a newer nkiverify"):
        run_history.sessions(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be looked at" * 9, b"SQLite format 3\0" + b"x" * 90]
)
def test_a_damaged_database_is_one_error_and_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "history.db"
    path.write_bytes(content)
    with pytest.raises(run_history.HistoryError, match=r"history\.db"):
        run_history.record(SESSION, path)
    with pytest.raises(run_history.HistoryError, match=r"history\.db"):
        run_history.sessions(path)
    assert path.read_bytes() == content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_database_that_is_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    os.mkfifo(path)
    for used in (lambda: run_history.record(SESSION, path), lambda: run_history.sessions(path)):
        with pytest.raises(run_history.HistoryError, match="no regular file"):
            used()
    assert run_history.durations(path) == {}


def test_texts_in_a_database_of_somebody_else_are_harmless(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    run_history.record(SESSION, path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE session SET commit_id = ?", ("\x1b[2J\n::error::",))
        connection.execute("UPDATE run SET verdict = ?, target = ?", ("\x1b[2J", "\x1b[2J"))
    said = f"{run_history.sessions(path)} {run_history.runs_in(1, path)} {run_history.target_names(path)}"
    assert "x1b[2J" in said and "'\\x1b" not in said and "\\n::error" not in said


def test_arguments_that_are_no_unicode_are_recorded(tmp_path: Path) -> None:
    odd: Session = session(run(qualifier="\udcff"), command=("\udcff",))
    run_history.record(odd, tmp_path / "history.db")
    (past,) = run_history.sessions(tmp_path / "history.db")
    assert past.command == "\\udcff"


def test_a_folder_outside_of_git_has_no_commit(tmp_path: Path) -> None:
    assert run_history.commit_of(tmp_path) == ""


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(resources, "reports", lambda: tmp_path)
    return tmp_path


def test_the_command_shows_runs_and_invocations(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        run_history.record(SESSION, reports / "history.db")
    assert main(["history", "other", "--last", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and "! UNKNOWN (a loop)" in lines[2]
    assert main(["history"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split()[2:4] == ["3", "3/4"]


def test_an_unknown_name_is_a_usage_error_with_a_hint(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_history.record(SESSION, reports / "history.db")
    assert main(["history", "othr"]) == 2
    assert "did you mean other?" in capsys.readouterr().err


def test_no_history_yet(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == 0
    assert capsys.readouterr().out == "no run is recorded\n"


def _damage(path: Path) -> None:
    path.write_bytes(b"damaged" * 100)


def _unreadable_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("spoil", [_damage, _unreadable_folder])
def test_a_bad_database_is_told_once_and_changes_no_verdict(
    reports: Path, capsys: pytest.CaptureFixture[str], spoil: object
) -> None:
    assert callable(spoil)
    spoil(reports / "history.db")
    assert main(["matmul_tiled", "--phase", "1"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "all as expected"
    assert err.count("\n") == 1 and "not in the history" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_database_is_told_once(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_history.record(SESSION, reports / "history.db")
    (reports / "history.db").chmod(0o400)
    assert main(["matmul_tiled", "--phase", "1"]) == 0
    assert capsys.readouterr().err.count("\n") == 1
    assert len(run_history.sessions(reports / "history.db")) == 1


def test_every_format_is_written_by_one_run(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forms = {form: reports / f"out.{form}" for form in ("json", "sarif", "junit", "markdown")}
    arguments = [word for form, path in forms.items() for word in (f"--{form}", str(path))]
    assert main(["matmul_tiled", "--phase", "1", "--annotations", *arguments]) == 0
    assert all(path.stat().st_size > 100 for path in forms.values())
    assert "::" not in capsys.readouterr().out


def test_two_formats_for_one_file_are_a_usage_error(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = str(reports / "out")
    assert main(["matmul_tiled", "--sarif", same, "--junit", same]) == 2
    assert "name the same file" in capsys.readouterr().err


def test_how_long_targets_took_is_that_of_recent_runs_in_all_phases(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    run_history.record(session(run(target="old", milliseconds=9.0)), path)
    for _ in range(run_history._RECENT):
        run_history.record(
            session(run(target="new", milliseconds=2.0), run(target="new", phase=2, milliseconds=3.0)), path
        )
    assert run_history.durations(path) == {"new": 5.0}


def test_how_long_targets_took_is_not_known_without_a_database_or_from_a_damaged_one(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    assert run_history.durations(path) == {}
    path.write_bytes(b"no database")
    assert run_history.durations(path) == {}
