"""Pages for the tests of the dashboard, made the way `make dashboard` makes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from nkiverify.foundation import resources
from nkiverify.foundation.records import (
    Basis,
    Coverage,
    Decided,
    Kind,
    Line,
    MemoryPeak,
    Part,
    Run,
    Span,
    Tile,
    Verdict,
)
from nkiverify.foundation.source import Site
from nkiverify.model.contracts import all_contracts
from nkiverify.project.manifest_targets import load_targets
from nkiverify.report.dashboard import data, render
from nkiverify.report.dashboard.data import Page
from nkiverify.results import codec as json_results
from nkiverify.results import file as results_file
from nkiverify.results import run_history
from nkiverify.results.session import Session
from tests.report.hostile import hostile_run
from tests.report.samples import COUNT_VIOLATION, UNUSED_WARNING, refuted, run, session

ROOT = resources.root()


_KERNEL = f"{ROOT}/kernels/matmul_tiled.py"
#: Two tensors over three lines, and an output of which the last row is stored by nothing.
PEAK = MemoryPeak(
    memory="psum",
    limit=16384,
    live="8*n",
    at={"n": 512},
    bytes=4096,
    place=Site(_KERNEL, 41),
    tensors=(),
    fits={"n": None},
    places=(Line(_KERNEL, 40), Line(_KERNEL, 41), Line(_KERNEL, 43)),
    tiles=(
        Tile("sums", Site(_KERNEL, 39), ("128", "n"), "float32", "4*n", (Span(0, 1, 2048),)),
        Tile("<b>other</b>", None, ("128", "n"), "float32", "4*n", (Span(1, 2, 2048),)),
    ),
)
COVERED = Coverage(
    tensor="<i>out</i>",
    shape=(3, 4),
    at={"n": 4},
    stores=(Line(_KERNEL, 57), Line(_KERNEL, 60)),
    rows=3,
    columns=4,
    each=(1, 1),
    parts=(Part(0, 2, 0, 2, 0), Part(0, 2, 2, 2, 1), Part(2, 1, 0, 4, -1)),
)


def every_ending() -> Session:
    """Passes, bounds, refutations, expected and not, and everything that is no conclusion, by two engines."""
    return session(
        run(),
        run(phase=2, warnings=(replace(UNUSED_WARNING, file=f"{ROOT}/kernels/matmul_tiled.py"),)),
        run(target="bounded", qualifier="bounded 8", reason=f"{ROOT}/kernels/matmul_tiled.py:40: unrolled"),
        refuted(violations=(COUNT_VIOLATION,)),
        refuted(target="unexpected", expected=Verdict.SUCCESSFUL, family="other", memory=(PEAK,), coverage=(COVERED,)),
        run(
            target="unknown",
            verdict=Verdict.UNKNOWN,
            reason="a while loop",
            place=Site(f"{ROOT}/kernels/matmul_tiled.py", 41),
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


#: What ESBMC is given for the targets of `marked`.
LOWERED = {"matmul_tiled_all": {"phase 1": "int main(void) { /* <b>lowered</b> */ }"}}


def marked() -> Session:
    """Claims of every outcome at lines of a kernel and of a target, from the cache, with another engine beside."""
    kernel, target = f"{ROOT}/kernels/matmul_tiled.py", {"target": "matmul_tiled_all", "kind": Kind.UNBOUNDED}
    decided = (
        Decided("", "target.output_shape", "proved", "constant", (0,)),
        Decided(kernel, "idx.oob", "proved", "simplifier", (50, 50, 51)),
        Decided(kernel, "dma_copy.count", "proved", "smt", (50,)),
        Decided(kernel, "nc_matmul.k_le_128", "undecided", "", (52,)),
        Decided(kernel, "mem.partitions_128", "refuted", "smt", (54,)),
    )
    (harness,) = (one for one in load_targets(ROOT) if one.name == "matmul_tiled_all")
    lines = Path(harness.file).read_text(encoding="utf-8").splitlines()
    assumed = next(number for number, line in enumerate(lines, 1) if number > harness.line and 'v.dim("K"' in line)
    beside = {"engine": "esbmc 6.7.0", "advisory": True}
    return session(
        run(**target, decided=decided, assumed_at=(Site(harness.file, assumed),), cached=True),
        run(**target, **beside, decided=decided[:1]),
        run(**target, phase=2, cached=True),
        run(**target, **beside, phase=2, verdict=Verdict.UNKNOWN, qualifier="time-out"),
        run(target="disputed"),
        run(target="disputed", **beside, verdict=Verdict.ERROR, qualifier=Basis.DISAGREEMENT.value, reason="claim 1"),
        root=ROOT,
    )


def hostile() -> Session:
    """Text that means something to HTML, to scripts and to terminals, wherever text can be."""
    return session(run(), hostile_run(), hostile_run(reason="\udcff", engine="embedded"), root=ROOT, not_run=("<b>",))


def many() -> Session:
    """Five hundred targets in four phases, with refutations and everything else that takes space."""
    runs: list[Run] = []
    for number in range(500):
        fields: dict[str, Any] = {"target": f"family{number % 25}_target_{number:03}", "family": f"family{number % 25}"}
        # No two targets have the same claims: what is alike packs too well.
        fields["decided"] = tuple(
            Decided(f"kernels/family{number % 25}.py", contract.id, "proved", "smt", (number, number + 3, number + 9))
            for contract in all_contracts()[number % 7 :: 12]
        )
        runs.append(refuted(**fields) if number % 3 == 0 else run(**fields))
        runs.append(run(**fields, engine="esbmc 6.7.0", advisory=True))
        if number % 3:
            runs += [run(**fields, phase=phase) for phase in (2, 3, 4)]
    return session(*runs, root=ROOT)


def page(of: Session, folder: Path, database: Path | None = None, ours: bool = True) -> Page:
    """The page of a session, by way of a `results.json` in `folder`."""
    past = run_history.sessions(database) if database is not None else []
    path = folder / "results.json"
    path.write_text(json_results.text(of), encoding="utf-8")
    return data.assemble(
        results_file.read(path),
        root=of.root,
        manifest=load_targets(of.root) if (of.root / "harness").is_dir() else (),
        contracts=all_contracts(),
        past=past,
        before=[
            (one, run_history.runs_in(one.id, database)) for one in past if database and one.started != _started(of)
        ],
        last=run_history.last_runs(database) if database is not None else [],
        lowered=LOWERED,
        ours=ours,
    )


def html(of: Session, folder: Path, database: Path | None = None, ours: bool = True) -> str:
    """The page as text."""
    return render.html(page(of, folder, database, ours))


def sections(of: Page) -> dict[str, str]:
    """The sections of a page, by their ids."""
    with render.another_process(of) as other:
        return render.sections(of, other)


def _started(of: Session) -> str:
    return of.started.isoformat(timespec="seconds")
