"""`nkiverify dashboard`: the last results as one page that a browser opens from disk."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.foundation.errors import UsageError
from nkiverify.project.repository import Project, here_or_ours

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target
    from nkiverify.report.dashboard.costs import TargetCost
    from nkiverify.results.file import Results
    from nkiverify.results.run_history import PastSession

#: How many earlier sessions the page compares with.
_COMPARED = 8
#: Seconds that the cost of one target may take.
_COST_SECONDS = 20.0

DESCRIPTION = """\
Write reports/dashboard/index.html: the last results, with the kernels, the
contracts, the history and the limits, as one page that opens without a
network."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("--results", type=Path, metavar="FILE", help="the results to show (default: reports/results.json)")
    add(
        "--no-lowered",
        action="store_true",
        help="leave out the programs that the second engine is given: it saves some seconds",
    )
    add("--costs", action="store_true", help="show what each target costs (docs/cost.md): it takes a second for each")
    add("--output", type=Path, metavar="FILE", help="the page to write (default: reports/dashboard/index.html)")


def execute(arguments: argparse.Namespace) -> int:
    """Write the page; the exit status."""
    if lacking := missing():
        raise UsageError(needs(lacking))
    from nkiverify.project.manifest_targets import load_targets
    from nkiverify.results import file as results_file
    from nkiverify.verify.plugged import second_engine

    project = here_or_ours()
    results = results_file.read(arguments.results or project.reports / "results.json")
    programs = {}
    if not arguments.no_lowered:
        programs = second_engine().programs(project.root, list({run.target: None for run in results.runs}))
    path = arguments.output or page_of(project)
    manifest = load_targets(project.root)
    shown = {run.target for run in results.runs}
    costs = _costs([one for one in manifest if one.name in shown]) if arguments.costs else {}
    try:
        reported = write(project, manifest, results, path, programs, costs)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
    print(reported)
    return 0


def missing() -> list[str]:
    """The libraries that the page needs and that are not installed."""
    return [name for name in ("jinja2", "plotly", "pygments") if importlib.util.find_spec(name) is None]


def needs(lacking: Sequence[str]) -> str:
    """A sentence about libraries that are not installed."""
    return f"the page needs {', '.join(lacking)}: pip install 'nkiverify[dashboard]'"


def page_of(project: Project) -> Path:
    """Where the page of a project is."""
    return project.reports / "dashboard" / "index.html"


def write(
    project: Project,
    manifest: Sequence[Target],
    results: Results,
    path: Path,
    lowered: Mapping[str, Mapping[str, str]],
    costs: Mapping[str, TargetCost] | None = None,
    *,
    remembers: bool = True,
) -> str:
    """Write the page of `results` to `path`; what to tell of it. `manifest` describes the targets that they are of,
    `lowered` has what the second engine is given, by target, and `costs` what they cost; where it `remembers`, colours
    of sources are kept next to verdicts.

    Raises `OSError` where it cannot be written.
    """
    from nkiverify.model.contracts import all_contracts
    from nkiverify.report.dashboard import data, render
    from nkiverify.results import codec as json_results
    from nkiverify.results import run_history
    from nkiverify.results.cache import store

    database = run_history.database(project.reports)
    past: list[run_history.PastSession] = []
    before: list[tuple[run_history.PastSession, list[run_history.PastRun]]] = []
    last: list[run_history.PastRun] = []
    problem = ""
    try:
        past = run_history.sessions(database)
        last = run_history.last_runs(database)
        before = [(session, run_history.runs_in(session.id, database)) for session in _earlier(past, results)]
    except run_history.HistoryError as error:
        problem = str(error)
    page = data.assemble(
        results,
        root=project.root,
        manifest=manifest,
        contracts=all_contracts(),
        past=past,
        before=before,
        last=last,
        history_problem=problem,
        lowered=lowered,
        costs=costs,
        ours=project.ours,
    )
    content = render.html(page, store.database(project.reports) if remembers else None)
    json_results.write(content, path)
    return f"{path}: {len(content.encode('utf-8')) / 1e6:.1f} MB, {len(page.runs)} runs of {len(page.targets)} targets"


def _costs(targets: Sequence[Target]) -> dict[str, TargetCost]:
    """The cost of each target at a shape of its domain."""
    from nkiverify.model.hardware import hardware_named
    from nkiverify.products.cost.report import CostQuestion, report
    from nkiverify.report.dashboard.costs import TargetCost

    found = {}
    for target in targets:
        hardware = hardware_named(target.hardware)
        one = report(target.name, target, hardware, CostQuestion(), _COST_SECONDS)
        numbers = {name: row.most for name, row in one.by_name.items()}
        once = (numbers.get("hbm_read_once", 0), numbers.get("hbm_written_once", 0))
        found[target.name] = TargetCost(
            at=", ".join(f"{name} = {value}" for name, value in one.at.items()),
            read=numbers.get("hbm_read", 0),
            read_once=once[0],
            written=numbers.get("hbm_written", 0),
            moved_once=None if once[0] is None or once[1] is None else once[0] + once[1],
            descriptors=numbers.get("descriptors", 0),
            flops=numbers.get("flops") or 0,
            bound=one.times.bound if one.times is not None else None,
            busiest=one.times.busiest if one.times is not None else None,
            spills=any(peak.spills for peak in one.peaks if peak.memory == "sbuf"),
            peak_flops=hardware.rates.tensor_flops,
            peak_bytes=hardware.rates.dma_bytes,
            refused=one.refused or (f"not all is counted: {one.unknown[0][1]}" if one.unknown else ""),
        )
    return found


def _earlier(past: Sequence[PastSession], results: Results) -> list[PastSession]:
    """The sessions that the results are compared with, newest first: the last few that were asked for the same."""
    asked = "\n".join(results.command)
    return [one for one in reversed(past) if one.started != results.started and one.command == asked][:_COMPARED]
