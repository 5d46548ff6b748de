"""Incremental runs: nothing changed, nothing is run again; anything changed, everything that may depend on it is."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import nkiverify
from nkiverify.foundation import resources
from nkiverify.foundation.records import Decided, Run, Verdict
from nkiverify.foundation.source import Site
from nkiverify.frontend.target import Target
from nkiverify.products.sweep.keeping import Digests
from nkiverify.results import codec as json_results
from nkiverify.results.cache import key, remembered_runs, store
from nkiverify.results.cache.remembered_runs import VerdictCache
from nkiverify.run.executors.jobs import InProcess
from nkiverify.verify.evidence import Told
from nkiverify.verify.options import Options, phases_to_run
from tests.executors import fakes
from tests.incremental.project import HARNESS, KERNEL, Project
from tests.quick import main
from tests.report.samples import COUNT_VIOLATION, run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    project = Project(tmp_path)
    monkeypatch.setattr(resources, "root", lambda: tmp_path)
    monkeypatch.setattr(resources, "reports", lambda: tmp_path / "reports")
    return project


@pytest.fixture
def pretended(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project, whose targets end as they expect without being verified: what matters is whether they are asked."""
    monkeypatch.setattr("nkiverify.run.executors.choice.verify_target", _as_expected)
    return project


def _as_expected(target: Target, options: Options, told: Told) -> list[Run]:
    phases = phases_to_run(target, options)
    refuted = {"violations": (REFUTED,)}
    return [
        replace(
            run(phase=phase, expected=verdict, verdict=verdict, **(refuted if verdict is FAILED else {})),
            target=target.name,
        )
        for phase in phases
        for verdict in (target.expect[phase],)
    ]


def verified(project: Project, *arguments: str, status: int = 0) -> dict[tuple[str, int], tuple[str, bool]]:
    """By target and phase, the verdict, and whether it was remembered. In this process: it is faster."""
    forget_our_files()
    jobs = [] if "-j" in arguments else ["-j", "1"]
    assert main([*arguments, *jobs]) == status
    document = json.loads((project.folder / "reports" / "results.json").read_text(encoding="utf-8"))
    return {(one["target"], one["phase"]): (one["verdict"], one["cached"]) for one in document["runs"]}


def forget_our_files() -> None:
    """Let our own files be read again, as another process would."""
    for facts in (key._environment_of, key._our_files):
        facts.cache_clear()


def cached(project: Project, *arguments: str, status: int = 0) -> set[str]:
    """The targets that were not run again."""
    return {target for (target, _), (_, known) in verified(project, *arguments, status=status).items() if known}


BOTH = {"good", "control"}
FAILED = Verdict.FAILED
REFUTED = replace(COUNT_VIOLATION, replayed=True)


def test_what_did_not_change_is_not_run_again_and_says_so(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cached(project) == set()
    first = capsys.readouterr().out
    monkeypatch.setattr("nkiverify.run.executors.choice.verify_target", _never)
    again = verified(project)
    assert again == {
        ("good", 1): ("SUCCESSFUL", True),
        ("good", 2): ("SUCCESSFUL", True),
        ("control", 1): ("FAILED", True),
    }
    second = capsys.readouterr().out
    assert [line.split()[-1] for line in second.splitlines()[2:5]] == ["cached"] * 3
    assert "(3 cached)" in second and "cached" not in first
    # But for the times, everything is told again: the place, the contract, the summary.
    assert "control, phase 1: dma_copy.count at kernels/rows.py:12" in " ".join(second.split())


def _never(target: Target, options: Options, told: Told) -> list[Run]:
    raise AssertionError(f"{target.name} is run again")


def test_the_whole_story_of_a_refutation_is_remembered(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    verified(project, "control")
    first = capsys.readouterr().out.splitlines()
    assert verified(project, "control") == {("control", 1): ("FAILED", True)}
    second = capsys.readouterr().out.splitlines()
    assert first[3:-2] == second[3:-2] and len(first) > 12


CHANGES: dict[str, tuple[str, str]] = {
    "the kernel": ("kernels/rows.py", KERNEL + "# changed\n"),
    "a helper of the kernel": ("kernels/sizes.py", "WIDTH = 256 * 2\n"),
    "the harness": ("harness/rows.py", HARNESS + "# changed\n"),
    "a helper of the harness": ("harness/domains.py", "LARGEST = 65\n"),
    "a package before the helper": ("kernels/sizes/__init__.py", "WIDTH = 512\n"),
}


@pytest.mark.parametrize(("name", "text"), CHANGES.values(), ids=CHANGES.keys())
def test_what_changed_is_run_again(pretended: Project, name: str, text: str) -> None:
    verified(pretended)
    assert cached(pretended) == BOTH
    (pretended.folder / name).parent.mkdir(exist_ok=True)
    pretended.write(name, text)
    assert cached(pretended) == set()
    assert cached(pretended) == BOTH


def test_a_changed_helper_changes_the_verdict(project: Project) -> None:
    # With workers: a process loads a module once.
    verified(project, "good", "-j", "2")
    project.write("kernels/sizes.py", "WIDTH = 513\n")
    assert verified(project, "good", "-j", "2", status=1) == {
        ("good", 1): ("FAILED", False),
        ("good", 2): ("SUCCESSFUL", False),
    }
    project.write("kernels/sizes.py", "WIDTH = 512\n")
    assert verified(project, "good", "-j", "2")[("good", 1)] == ("SUCCESSFUL", False)


READING = {
    "by way of another module": "int(getattr(getattr(logging, 'os'), 'environ').get('SHIFT', '0'))",
    "in the kernel": "0\n\n\ndef shift():\n    return int(logging.time.time())",
}


@pytest.mark.parametrize("text", READING.values(), ids=READING.keys())
def test_what_reads_more_than_its_modules_is_run_again_and_says_so(project: Project, text: str) -> None:
    project.write("kernels/sizes.py", f"import logging\n\nWIDTH = 512 + {text}\n")
    if "def shift" in text:
        calling = KERNEL.replace("    tile =", "    shift()\n    tile =")
        project.write("kernels/rows.py", calling.replace("import WIDTH", "import WIDTH, shift"))
    assert cached(project, "-j", "2") == cached(project, "-j", "2") == set()
    document = json.loads((project.folder / "reports" / "results.json").read_text(encoding="utf-8"))
    assert {one["reads"].partition(" ")[0].partition(":")[0] for one in document["runs"]} == {"sizes.py"}


OPTIONS = (
    ["--unwind", "3"],
    ["--timeout", "50"],
    ["--target", "trn1"],
    ["--all"],
    ["--engine", "both"],
    ["--no-cache"],
)


@pytest.mark.parametrize("arguments", OPTIONS, ids=" ".join)
def test_what_was_asked_otherwise_is_run_again(pretended: Project, arguments: list[str]) -> None:
    engine = [] if "--engine" in arguments else ["--engine", "embedded"]
    assert cached(pretended, "good", "--engine", "embedded") == set()
    assert cached(pretended, "good", *engine, *arguments) == set()
    assert cached(pretended, "good", "--engine", "embedded") == {"good"}


def test_a_phase_of_what_is_known_is_known(pretended: Project) -> None:
    verified(pretended)
    assert verified(pretended, "good", "--phase", "2") == {("good", 2): ("SUCCESSFUL", True)}


def test_a_folder_for_lowered_programs_has_them_made(pretended: Project) -> None:
    verified(pretended, "good")
    assert cached(pretended, "good", "--keep-lowered", str(pretended.folder / "lowered")) == set()


def test_another_version_of_ours_of_python_or_of_what_is_installed_runs_everything(
    pretended: Project, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    verified(pretended)
    installed = tmp_path_factory.mktemp("site-packages")
    (installed / "another_solver-2.0.dist-info").mkdir()
    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(installed))
        assert cached(pretended) == set()
    verified(pretended)
    with monkeypatch.context() as patch:
        patch.setattr("sys.version", "3.99.0 (main, Jan 1 2030, 00:00:00) [GCC 15.1.0]")
        assert cached(pretended) == set()
    verified(pretended)
    stubs = tmp_path_factory.mktemp("changed") / "stubs"
    shutil.copytree(pretended.folder / "stubs", stubs)
    (stubs / "nki" / "added.py").write_text("", encoding="utf-8")
    (pretended.folder / "stubs").unlink()
    (pretended.folder / "stubs").symlink_to(stubs)
    assert cached(pretended) == set()


def test_our_own_files_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = key.Keys(Options(root=tmp_path)).digest(fakes.target("a", root=tmp_path, file=str(_empty(tmp_path))))
    ours = tmp_path / "package"
    shutil.copytree(Path(nkiverify.__file__).parent, ours, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(nkiverify, "__file__", str(ours / "__init__.py"))
    target = fakes.target("a", root=tmp_path, file=str(_empty(tmp_path)))
    copied = key.Keys(Options(root=tmp_path)).digest(target)
    with (ours / "symbolic" / "facts.py").open("a", encoding="utf-8") as file:
        file.write("\n")
    forget_our_files()
    assert "" not in (before, copied) and copied != key.Keys(Options(root=tmp_path)).digest(target)


def _empty(folder: Path) -> Path:
    (folder / "kernels").mkdir(exist_ok=True)
    for name in ("kernels/a.py", "harness.py"):
        (folder / name).write_text("", encoding="utf-8")
    return folder / "harness.py"


def test_another_esbmc_is_another_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = fakes.target("a", root=tmp_path, file=str(_empty(tmp_path)))
    digests = set()
    for content in ("#!/bin/sh\n", "#!/bin/sh\n# newer\n"):
        program = tmp_path / "esbmc"
        program.write_text(content, encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("ESBMC", str(program))
        digests.add(key.Keys(Options(root=tmp_path, engine="auto")).digest(target))
        digests.add(key.Keys(Options(root=tmp_path, engine="embedded")).digest(target))
    assert len(digests) == 3


# --- what is remembered -----------------------------------------------------------------------------------------------

TARGET = fakes.target("a")


def one(verdict: Verdict = Verdict.SUCCESSFUL, **fields: Any) -> Run:
    """A run of the target `a`."""
    return run(target="a", verdict=verdict, **fields)


CONCLUSIONS: dict[str, list[Run]] = {
    "a proof": [one()],
    "a bounded proof": [one(qualifier="bounded 8")],
    "a refutation": [one(Verdict.FAILED, violations=(REFUTED,))],
    "a proof that another engine leaves open": [one(), one(Verdict.UNKNOWN, engine="esbmc", advisory=True)],
}
NO_CONCLUSIONS: dict[str, list[Run]] = {
    "nothing": [],
    "a time-out": [one(Verdict.UNKNOWN, qualifier="time-out 60 s")],
    "an unsupported construct": [one(Verdict.UNKNOWN, qualifier="a set")],
    "an error": [one(Verdict.ERROR)],
    "no claims": [one(Verdict.VACUOUS)],
    "a refutation that was not replayed": [one(Verdict.FAILED, qualifier="not replayed", violations=(REFUTED,))],
    "a refutation without a replay": [one(Verdict.FAILED, violations=(replace(REFUTED, replayed=False),))],
    "only what was said beside": [one(advisory=True)],
    "a contradiction": [one(), one(Verdict.ERROR, engine="esbmc", advisory=True, qualifier="engines disagree")],
    "an engine that broke": [one(), one(Verdict.ERROR, engine="esbmc", advisory=True, qualifier="unusable")],
    "another expectation": [one(expected=Verdict.FAILED)],
    "another phase": [one(phase=2)],
}


def memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], VerdictCache]:
    """Caches for targets whose files do not matter."""
    monkeypatch.setattr(key.Keys, "digest", lambda self, target: f"digest of {target.name}")
    monkeypatch.setattr(key.Keys, "unchanged_since", lambda self, target, started: True)
    return lambda: VerdictCache(fakes.options(), folder, 0)


@pytest.mark.parametrize("runs", CONCLUSIONS.values(), ids=CONCLUSIONS.keys())
def test_conclusions_are_remembered_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: list[Run]
) -> None:
    cache = memory(tmp_path, monkeypatch)
    cache().remember(TARGET, runs)
    assert cache().lookup([TARGET]) == {"a": [replace(run, cached=True) for run in runs]}


@pytest.mark.parametrize("runs", NO_CONCLUSIONS.values(), ids=NO_CONCLUSIONS.keys())
def test_what_is_no_conclusion_is_neither_remembered_nor_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: list[Run]
) -> None:
    cache = memory(tmp_path, monkeypatch)
    cache().remember(TARGET, runs)
    assert cache().lookup([TARGET]) == {}
    store.save(tmp_path / "cache.db", [(key.Keys(fakes.options()).slot(TARGET, 1), "digest of a", runs)])
    assert cache().lookup([TARGET]) == {}


def test_every_field_of_a_run_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    control = fakes.target("control", root=Path("/work"), expect={1: Verdict.FAILED})
    whole = one(
        Verdict.FAILED,
        violations=(replace(REFUTED, message="/checkout/kernels is kept", values={"K": 1}, generalises={"K": "any"}),),
        assumptions=("n >= 1",),
        reason="/checkout/a.py",
        closed_by={"smt": 3},
        decided=(
            Decided("", "x", "undecided", "", (0,)),
            Decided("/checkout/a.py", "idx.oob", "proved", "smt", (3, 3, 9)),
        ),
        assumed_at=(Site("/checkout/harness/a.py", 7),),
    )
    whole = replace(whole, target="control", expected=Verdict.FAILED)
    cache = memory(tmp_path, monkeypatch)
    cache().remember(control, [whole])
    assert cache().lookup([control]) == {"control": [replace(whole, cached=True)]}


def test_runs_that_would_lose_something_are_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = memory(tmp_path, monkeypatch)
    entry = json_results.entry
    monkeypatch.setattr(
        json_results,
        "entry",
        lambda run, root: {**entry(run, root), "assumptions": []},  # a field that is forgotten
    )
    cache().remember(TARGET, [one(assumptions=("n >= 1",))])
    assert cache().lookup([TARGET]) == {}
    cache().remember(TARGET, [one()])
    assert cache().lookup([TARGET]).keys() == {"a"}


def test_a_file_that_changes_during_the_run_is_not_remembered(pretended: Project) -> None:
    pretended.write(
        "harness/rows.py",
        HARNESS.replace('"""As many', f'"""{pretended.folder}""" \n    """As many'),
    )
    targets_file = pretended.folder / "kernels" / "sizes.py"

    def touched(*_: object) -> None:
        targets_file.write_text("WIDTH = 512  # again\n", encoding="utf-8")

    with pytest.MonkeyPatch.context() as patch:
        original = remembered_runs.VerdictCache.remember

        def remember(self: VerdictCache, targets: Any, runs: Any) -> None:
            touched()
            original(self, targets, runs)

        patch.setattr(remembered_runs.VerdictCache, "remember", remember)
        verified(pretended)
    assert not pretended.cache.exists()
    # Back to the text that was read: what was verified meanwhile is unknown all the same.
    pretended.write("kernels/sizes.py", "WIDTH = 512\n")
    assert cached(pretended) == set()


def test_targets_that_finished_are_known_after_a_session_was_killed(
    pretended: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished: list[str] = []

    def killed(target: Target, options: Options, told: Told) -> list[Run]:
        if finished:
            os.kill(os.getpid(), signal.SIGKILL)
        finished.append(target.name)
        return _as_expected(target, options, told)

    monkeypatch.setattr("nkiverify.run.executors.choice.verify_target", killed)
    monkeypatch.setattr("nkiverify.run.executors.choice.made", lambda options, left, starts_programs: InProcess(killed))
    session = multiprocessing.get_context("fork").Process(target=main, args=(["-j", "1"],))
    session.start()
    session.join()
    assert session.exitcode == -signal.SIGKILL
    assert len(remembered_targets(pretended)) == 1


def remembered_targets(project: Project) -> set[str]:
    """The targets that the database has verdicts of."""
    with contextlib.closing(sqlite3.connect(project.cache)) as connection:
        return {json.loads(slot)[1] for (slot,) in connection.execute("SELECT slot FROM verdict")}


def test_runs_given_in_place_of_others_are_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = memory(tmp_path, monkeypatch)
    session = cache()
    session.remember(TARGET, [one()])
    assert cache().lookup([TARGET]).keys() == {"a"}
    session.remember(TARGET, [one(Verdict.ERROR)])
    assert cache().lookup([TARGET]) == {}


def test_our_files_are_read_once_for_all_items_of_a_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("def a(): ...\n", encoding="utf-8")
    target = fakes.target("a", root=tmp_path, kernel="a.py::a", file=str(tmp_path / "a.py"))
    walked: list[Path] = []
    walk = os.walk

    def counted(folder: Path) -> Any:
        walked.append(folder)
        return walk(folder)

    monkeypatch.setattr(os, "walk", counted)
    forget_our_files()
    digests = Digests()
    found = {digests.of(replace(fakes.options(), fixed=(("P", number),)), target) for number in range(5)}
    assert len(found) == 5
    assert len(walked) == 2  # the package, and the stubs


# --- a database that is not as it should be ---------------------------------------------------------------------------


def _overwrite(path: Path) -> None:
    path.write_bytes(b"damaged" * 100)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:3000])


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _other_tables(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE verdict (slot TEXT)")
    connection.commit()
    connection.close()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("spoil", [_overwrite, _truncate, _folder, _other_tables, _pipe])
def test_a_damaged_cache_is_told_once_and_changes_nothing(
    pretended: Project, capsys: pytest.CaptureFixture[str], spoil: Callable[[Path], None]
) -> None:
    before = verified(pretended)
    spoil(pretended.cache)
    capsys.readouterr()
    assert verified(pretended) == {name: (verdict, False) for name, (verdict, _) in before.items()}
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "verdicts are not remembered" in err and "cache.db" in err


def test_a_locked_cache_is_told_once(
    pretended: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    verified(pretended)
    monkeypatch.setattr(store, "_LOCKED_SECONDS", 0.05)
    with contextlib.closing(sqlite3.connect(pretended.cache, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        capsys.readouterr()
        assert cached(pretended) == set()
        err = capsys.readouterr().err
    assert err.count("\n") == 1 and "database is locked" in err
    assert cached(pretended) == BOTH


def test_a_cache_that_cannot_be_written_is_told_once(
    pretended: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(path: Path, entries: object) -> None:
        raise store.CacheError(f"{path}: attempt to write a readonly database")

    monkeypatch.setattr(store, "save", read_only)
    assert cached(pretended) == set()
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "readonly" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_cache_is_read(pretended: Project) -> None:
    verified(pretended)
    pretended.cache.chmod(0o400)
    assert cached(pretended) == BOTH


@pytest.mark.parametrize(
    ("old", "new"),
    [("SUCCESSFUL", "FAILED"), ('"claims": ', '"claims": 1'), ("good", "goad")],
)
def test_an_entry_that_was_changed_is_none(pretended: Project, old: str, new: str) -> None:
    verified(pretended, "good")
    connection = sqlite3.connect(pretended.cache)
    connection.execute("UPDATE verdict SET content = replace(content, ?, ?)", (old, new))
    connection.commit()
    connection.close()
    assert cached(pretended, "good") == set()
    assert cached(pretended, "good") == {"good"}


def test_an_entry_of_another_target_is_none(pretended: Project) -> None:
    verified(pretended)
    rows = {
        json.loads(slot)[1]: (slot, digest) for slot, digest, _, _ in pretended.entries() if json.loads(slot)[2] == 1
    }
    good = [run for runs in store.load(pretended.cache, dict([rows["good"]])).values() for run in runs]
    store.save(pretended.cache, [(*rows["control"], good)])
    assert cached(pretended) == {"good"}


def _save(path: str, number: int, times: int) -> None:
    for _ in range(times):
        store.save(Path(path), [(f"slot {number}", "digest", [one(claims=number)])])


def test_runs_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_save, args=(str(path), number, 5)) for number in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    found = store.load(path, {f"slot {number}": "digest" for number in range(4)})
    assert {slot: runs[0].claims for slot, runs in found.items()} == {f"slot {number}": number for number in range(4)}


def test_each_target_has_one_place_in_the_cache(pretended: Project) -> None:
    for number in range(3):
        pretended.write("kernels/sizes.py", f"WIDTH = 512  # {number}\n")
        verified(pretended)
    assert len(pretended.entries()) == 3


def test_fail_fast_stops_at_what_is_known_to_fail(project: Project) -> None:
    project.write("harness/rows.py", HARNESS.replace("expect={1: FAILED}", "expect={1: SUCCESSFUL}"))
    assert cached(project, "control", status=1) == set()
    assert cached(project, "--fail-fast", status=1) == {"control"}
    document = json.loads((project.folder / "reports" / "results.json").read_text(encoding="utf-8"))
    assert document["not_run"] == ["good"]
