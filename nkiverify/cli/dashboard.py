"""`nkiverify dashboard`: the last results as one page that a browser opens from disk."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

from nkiverify.foundation.errors import UsageError
from nkiverify.project.repository import here_or_ours

DESCRIPTION = """\
Write reports/dashboard/index.html: the last results, with the kernels, the
contracts, the history and the limits, as one page that opens without a
network."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("--results", type=Path, metavar="FILE", help="the results to show (default: reports/results.json)")
    add("--no-lowered", action="store_true", help="leave out the programs that ESBMC is given: it saves some seconds")
    add("--output", type=Path, metavar="FILE", help="the page to write (default: reports/dashboard/index.html)")


def execute(arguments: argparse.Namespace) -> int:
    """Write the page; the exit status."""
    missing = [name for name in ("jinja2", "plotly") if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"the dashboard needs {' and '.join(missing)}: pip install 'nkiverify[dashboard]'")
    from nkiverify.model import contract_tables as _contract_tables  # noqa: F401 (registers the contracts)
    from nkiverify.model.contracts import all_contracts
    from nkiverify.project.manifest import load_targets
    from nkiverify.report.dashboard import data, render
    from nkiverify.results import codec as json_results
    from nkiverify.results import file as results_file
    from nkiverify.results import history
    from nkiverify.run import lowered

    project = here_or_ours()
    root, reports = project.root, project.reports
    results = results_file.read(arguments.results or reports / "results.json")
    past, problem = [], ""
    try:
        past = history.sessions(history.database(reports))
    except history.HistoryError as error:
        problem = str(error)
    programs = {} if arguments.no_lowered else lowered.programs(root, list({run.target: None for run in results.runs}))
    page = data.assemble(
        results,
        root=root,
        manifest=load_targets(root),
        contracts=all_contracts(),
        past=past,
        history_problem=problem,
        lowered=programs,
    )
    path = arguments.output or reports / "dashboard" / "index.html"
    content = render.html(page, root)
    try:
        json_results.write(content, path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
    print(f"{path}: {len(content.encode('utf-8')) / 1e6:.1f} MB, {len(page.runs)} runs of {len(page.targets)} targets")
    return 0
