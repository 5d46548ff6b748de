"""The history of runs: an SQLite database next to `results.json`, which every invocation adds to.

A history only tells; no verdict of `run` depends on it. What sweeps have found is kept as well, each with the digest of
all that it depends on. Whatever is wrong with the database is one `HistoryError`.
"""

from __future__ import annotations

import contextlib
import platform
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.kernel_text import harmless, with_texts
from nkiverify.foundation.records import Run
from nkiverify.results.database import connected
from nkiverify.results.session import ExitStatus, Session, status_of

#: Seconds that one invocation waits for another that is writing.
_LOCKED_SECONDS = 10.0

#: How many invocations back `durations` looks.
_RECENT = 20

#: What leads from each version of the database to the next; the version is SQLite's `user_version`. Only appended to.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE session (
            id INTEGER PRIMARY KEY,
            started TEXT NOT NULL,
            seconds REAL NOT NULL,
            processes INTEGER NOT NULL,
            command TEXT NOT NULL,
            nkiverify TEXT NOT NULL,
            python TEXT NOT NULL,
            z3 TEXT NOT NULL,
            exit_status INTEGER NOT NULL,
            commit_id TEXT NOT NULL,
            machine TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE run (
            session INTEGER NOT NULL REFERENCES session (id),
            target TEXT NOT NULL,
            phase INTEGER NOT NULL,
            engine TEXT NOT NULL,
            expected TEXT,
            verdict TEXT NOT NULL,
            qualifier TEXT NOT NULL,
            as_expected INTEGER NOT NULL,
            claims INTEGER NOT NULL,
            milliseconds REAL NOT NULL
        )
        """,
        "CREATE INDEX run_by_target ON run (target, session)",
        "CREATE INDEX run_by_session ON run (session)",
    ),
    # A run that was not run again says nothing about time.
    ("ALTER TABLE run ADD COLUMN cached INTEGER NOT NULL DEFAULT 0",),
    # What another engine says besides a run is recorded, and counted with neither the runs nor the claims.
    ("ALTER TABLE run ADD COLUMN advisory INTEGER NOT NULL DEFAULT 0",),
    # The latest result of each item of a sweep, as the sweep writes it: it continues from here where its files are
    # lost.
    ("CREATE TABLE sweep_item (name TEXT PRIMARY KEY, result TEXT NOT NULL)",),
)


class HistoryError(Exception):
    """The database cannot be read or written. Move it away, and the next run begins a new one."""


@dataclass(frozen=True, slots=True)
class PastSession:
    """One invocation. `commit` is empty outside a checkout, and ends in `+` where files differed from it."""

    id: int
    started: str
    seconds: float
    command: str
    nkiverify: str
    exit_status: int
    commit: str
    machine: str
    targets: int
    runs: int
    as_expected: int
    claims: int
    cached: int


@dataclass(frozen=True, slots=True)
class PastRun:
    """One target in one phase by one engine, at one time."""

    session: int
    started: str
    commit: str
    target: str
    phase: int
    engine: str
    verdict: str
    qualifier: str
    as_expected: bool
    claims: int
    milliseconds: float
    cached: bool
    advisory: bool


def past(run: Run, commit: str) -> PastRun:
    """A run of another version of the sources, as if it were recorded."""
    return PastRun(
        session=0,
        started="",
        commit=commit,
        target=run.target,
        phase=run.phase,
        engine=run.engine,
        verdict=run.verdict.value,
        qualifier=run.qualifier,
        as_expected=status_of(run) is ExitStatus.AS_EXPECTED,
        claims=run.claims,
        milliseconds=run.milliseconds,
        cached=run.cached,
        advisory=run.advisory,
    )


def database(reports: Path) -> Path:
    """Where runs are recorded that write their reports to `reports`."""
    return reports / "history.db"


def record(session: Session, path: Path) -> None:
    """Add the runs of `session` to the database at `path`, which is made where there is none. Raises `HistoryError`.

    Either all of them are added or none. A session without runs has nothing to tell.
    """
    if not session.runs:
        return
    versions = session.made_with
    facts = (
        session.started.isoformat(timespec="seconds"),
        round(session.seconds, 3),
        session.processes,
        "\n".join(session.command),
        versions.nkiverify,
        versions.python,
        versions.z3,
        int(session.exit_status),
        commit_of(session.root),
        f"{platform.node()} {platform.machine()}",
    )
    with _opened(path, write=True) as connection:
        cursor = connection.execute(
            "INSERT INTO session (started, seconds, processes, command, nkiverify, python, z3, exit_status, commit_id,"
            " machine) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            tuple(map(_storable, facts)),
        )
        connection.executemany(
            "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (tuple(map(_storable, (cursor.lastrowid, *_row(run)))) for run in session.runs),
        )


def sessions(path: Path) -> list[PastSession]:
    """Every recorded invocation, oldest first; none where there is no database. Raises `HistoryError`."""
    if not path.exists():
        return []
    with _opened(path, write=False) as connection:
        rows = connection.execute(
            "SELECT id, started, seconds, command, nkiverify, exit_status, commit_id, machine,"
            " count(DISTINCT target), count(*), sum(as_expected), sum(claims), sum(cached)"
            " FROM session JOIN run ON run.session = session.id WHERE NOT advisory GROUP BY id ORDER BY id"
        ).fetchall()
    return [with_texts(PastSession(*row), harmless) for row in rows]


def runs_of(target: str, path: Path) -> list[PastRun]:
    """Every recorded run of `target`, oldest first. Raises `HistoryError`."""
    return _runs(path, "target = ?", target)


def runs_in(session: int, path: Path) -> list[PastRun]:
    """The runs of one recorded invocation. Raises `HistoryError`."""
    return _runs(path, "session = ?", session)


def last_runs(path: Path) -> list[PastRun]:
    """The last recorded run of each target in each phase by each engine. Raises `HistoryError`."""
    return _runs(path, "run.rowid IN (SELECT max(rowid) FROM run WHERE ? GROUP BY target, phase, engine)", 1)


def durations(path: Path) -> dict[str, float]:
    """The milliseconds that each target took in all its phases at most, in recent invocations.

    What is not known is left out; a database that cannot be read knows nothing.
    """
    if not path.exists():
        return {}
    try:
        with _opened(path, write=False) as connection:
            rows = connection.execute(
                "SELECT target, max(total) FROM (SELECT target, sum(milliseconds) AS total FROM run"
                " WHERE session > (SELECT max(id) FROM session) - ? GROUP BY target, session) GROUP BY target",
                (_RECENT,),
            ).fetchall()
    except HistoryError:
        return {}
    return {target: float(milliseconds) for target, milliseconds in rows}


def keep_item(name: str, result: str, path: Path) -> None:
    """Keep what a sweep has found of one item in place of what was kept of it before. Raises `HistoryError`."""
    with _opened(path, write=True) as connection:
        connection.execute("INSERT OR REPLACE INTO sweep_item VALUES (?, ?)", (_storable(name), _storable(result)))


def kept_items(path: Path) -> dict[str, str]:
    """The findings of sweeps, by item; nothing where there is no database. Raises `HistoryError`."""
    if not path.exists():
        return {}
    with _opened(path, write=False) as connection:
        return dict(connection.execute("SELECT name, result FROM sweep_item").fetchall())


def target_names(path: Path) -> list[str]:
    """Every target that was ever recorded, by name. Raises `HistoryError`."""
    if not path.exists():
        return []
    with _opened(path, write=False) as connection:
        rows = connection.execute("SELECT DISTINCT target FROM run ORDER BY target")
        return [harmless(str(name)) for (name,) in rows]


def commit_of(root: Path) -> str:
    """The commit checked out in `root`, with a `+` where tracked files differ from it; empty where git knows none."""
    git = ("git", "-C", str(root))
    try:
        head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, timeout=10)
        if head.returncode:
            return ""
        changes = subprocess.run([*git, "diff-index", "--quiet", "HEAD", "--"], capture_output=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return head.stdout.strip() + ("+" if changes.returncode else "")


def _runs(path: Path, condition: str, value: str | int) -> list[PastRun]:
    if not path.exists():
        return []
    with _opened(path, write=False) as connection:
        rows = connection.execute(
            "SELECT session, started, commit_id, target, phase, engine, verdict, qualifier, as_expected, claims,"
            " milliseconds, cached, advisory FROM run JOIN session ON run.session = session.id"
            f" WHERE {condition} ORDER BY run.rowid",
            (value,),
        ).fetchall()
    past = (with_texts(PastRun(*row), harmless) for row in rows)
    return [
        replace(one, as_expected=bool(one.as_expected), cached=bool(one.cached), advisory=bool(one.advisory))
        for one in past
    ]


def _row(run: Run) -> tuple[object, ...]:
    return (
        run.target,
        run.phase,
        run.engine,
        run.expected.value if run.expected is not None else None,
        run.verdict.value,
        run.qualifier,
        # Of a target without an expectation, a refutation is no pass.
        int(status_of(run) == 0),
        run.claims,
        round(run.milliseconds, 3),
        int(run.cached),
        int(run.advisory),
    )


def _storable(value: object) -> object:
    """SQLite takes valid Unicode only; arguments of the command line may hold other bytes."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


@contextlib.contextmanager
def _opened(path: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    """A transaction on the database, which is brought up to date first, to be read as well."""
    try:
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
        mode = "rwc" if write else "ro"
        with connected(path, mode, seconds=_LOCKED_SECONDS) as connection:
            # The lock is taken before the version is read: of two invocations that find an old database, the second
            # waits, and finds a new one.
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > len(MIGRATIONS) or not (version or write):
                age = "a newer" if version else "no"
                raise HistoryError(f"{path} was written by {age} nkiverify")
            if version < len(MIGRATIONS) and not write:
                connection.execute("COMMIT")
                with _opened(path, write=True):
                    version = len(MIGRATIONS)
                connection.execute("BEGIN")
            for number, statements in enumerate(MIGRATIONS[version:], version + 1):
                for statement in statements:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
            yield connection
            connection.execute("COMMIT")
    except (sqlite3.Error, OSError) as error:
        raise HistoryError(f"{path}: {error}") from error
