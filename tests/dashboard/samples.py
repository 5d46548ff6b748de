"""Pages for the tests of the dashboard, made the way `make dashboard` makes them."""

from __future__ import annotations

from pathlib import Path

from nkiverify import resources
from nkiverify.dashboard import data, render
from nkiverify.dashboard.data import Page
from nkiverify.manifest import load_targets
from nkiverify.model import contract_tables as _contract_tables  # noqa: F401 (registers the contracts)
from nkiverify.model.contracts import all_contracts
from nkiverify.report import history, json_results, results_file
from nkiverify.results import Kind, Place, Run, Verdict
from nkiverify.session import Session
from tests.report.hostile import hostile_run
from tests.report.samples import COUNT_VIOLATION, refuted, run, session

ROOT = resources.root()


def every_ending() -> Session:
    """Passes, bounds, refutations, expected and not, and everything that is no conclusion, by two engines."""
    return session(
        run(),
        run(phase=2),
        run(target="bounded", qualifier="bounded 8", reason=f"{ROOT}/kernels/matmul_tiled.py:40: unrolled"),
        refuted(violations=(COUNT_VIOLATION,)),
        refuted(target="unexpected", expected=Verdict.SUCCESSFUL, family="other"),
        run(
            target="unknown",
            verdict=Verdict.UNKNOWN,
            reason="a while loop",
            place=Place(f"{ROOT}/kernels/matmul_tiled.py", 41),
            tags=("upstream-bug",),
        ),
        run(target="vacuous", verdict=Verdict.VACUOUS, kind=Kind.BOUNDARY),
        run(target="error", verdict=Verdict.ERROR, traceback="Traceback (most recent call last):\n  …"),
        run(target="disputed", assumptions=("n >= 1",)),
        run(target="disputed", engine="esbmc", verdict=Verdict.FAILED),
        run(target="late", milliseconds=120_000.0),
        root=ROOT,
        not_run=("never",),
    )


def hostile() -> Session:
    """Text that means something to HTML, to scripts and to terminals, wherever text can be."""
    return session(run(), hostile_run(), hostile_run(reason="\udcff", engine="embedded"), root=ROOT, not_run=("<b>",))


def many() -> Session:
    """Five hundred targets in two phases, with refutations and everything else that takes space."""
    runs: list[Run] = []
    for number in range(500):
        fields = {"target": f"family{number % 25}_target_{number:03}", "family": f"family{number % 25}"}
        runs.append(refuted(**fields) if number % 3 == 0 else run(**fields))
        if number % 3:
            runs.append(run(**fields, phase=2))
    return session(*runs, root=ROOT)


def page(of: Session, folder: Path, database: Path | None = None) -> Page:
    """The page of a session, by way of a `results.json` in `folder`."""
    path = folder / "results.json"
    path.write_text(json_results.text(of), encoding="utf-8")
    return data.assemble(
        results_file.read(path),
        root=of.root,
        manifest=load_targets(of.root) if (of.root / "harness").is_dir() else (),
        contracts=all_contracts(),
        past=history.sessions(database) if database is not None else (),
    )


def html(of: Session, folder: Path, database: Path | None = None) -> str:
    """The page as text."""
    return render.html(page(of, folder, database), of.root)
