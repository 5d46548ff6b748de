"""`nkiverify sweep FILE`: every target in every configuration for every generation, resumable, in shards."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.allowing import add_allow, allowed_by
from nkiverify.cli.command_arguments import add_executor, positive_seconds
from nkiverify.cli.rule_options import configured
from nkiverify.engines.table import asks_second
from nkiverify.foundation.budget import TargetBudget
from nkiverify.project.repository import Project, ensure_reports, with_targets
from nkiverify.project.settings import layered
from nkiverify.verify.options import Options

if TYPE_CHECKING:
    from nkiverify.foundation.records import Run
    from nkiverify.products.sweep.description import Item
    from nkiverify.products.sweep.item_store import Store
    from nkiverify.products.sweep.keeping import Digests
    from nkiverify.results.session import Session

DESCRIPTION = """\
Verify every target of a sweep with every configuration for every hardware
generation, as FILE (TOML, or Python that sets SWEEP) describes it. Results are
written as they are found: run the same command again, and it goes on from
there; what changed since is verified anew. docs/scale.md has the details."""

EPILOG = """\
exit status: as that of `nkiverify run`; 4 also where items have no verdict,
as results could not be written, the cluster was lost, or a shard is missing"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="the description of the sweep")
    add_executor(parser)
    add("--shard", type=shard, default=(1, 1), metavar="K/N", help="only the K-th of N parts of the items")
    add("--out", type=Path, metavar="DIR", help="the folder for results (default: sweep-NAME among the reports)")
    add(
        "--merge",
        type=Path,
        action="append",
        metavar="DIR",
        help="verify nothing: report what the shards in DIR found (may be repeated)",
    )
    add("--timeout", type=positive_seconds, metavar="S", help="seconds an item may take, unless FILE says otherwise")
    add("--bundled", action="store_true", help="the kernels that come with nkiverify, not those of the repository here")
    add("--no-cache", action="store_true", help="verify every item again, whatever was found before")
    add("--list", action="store_true", help="list the items of the shard, and stop")
    add_allow(parser)
    add("--debug", action="store_true", help="show tracebacks of internal errors")


def execute(arguments: argparse.Namespace) -> int:
    """Run or merge a sweep; the exit status."""
    from nkiverify.products.sweep.description import items_of
    from nkiverify.products.sweep.item_store import Store, merged
    from nkiverify.project.manifest_targets import check_kernels, load_targets
    from nkiverify.results.session import ExitStatus
    from nkiverify.run.executors.choice import checked

    project = with_targets(arguments.bundled)
    timeout = layered("timeout", arguments.timeout, project.settings, TargetBudget.SECONDS)
    options = Options(
        root=project.root,
        timeout=timeout.value,
        unhurried=timeout.source == "default",
        jobs=layered("jobs", arguments.jobs, project.settings, None).value,
        memory=arguments.memory,
        executor=checked(arguments.executor),
        policy=configured(project.settings),
        allowed=allowed_by(arguments.allow, project.settings),
    )
    items = items_of(arguments.file, load_targets(project.root), options)
    if arguments.merge:
        found = merged(arguments.merge)
        runs = {name: entry.runs for name, entry in found.items()}
        return _report(items, runs, project, arguments, time.perf_counter())
    mine = [item for item in items if item.in_shard(arguments.shard)]
    if arguments.list:
        print("\n".join(item.name for item in mine))
        return ExitStatus.AS_EXPECTED
    if not mine:
        print("nkiverify: this shard has no items", file=sys.stderr)
        return ExitStatus.AS_EXPECTED
    check_kernels([item.target for item in mine])
    ensure_reports(project)
    store = Store(_folder(arguments, project), arguments.shard, project.root)
    try:
        return _run(mine, store, project, options, arguments)
    finally:
        store.close()


def shard(text: str) -> tuple[int, int]:
    """`3/10` as the third of ten parts."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a part such as 3/10")
    return int(found[1]), int(found[2])


def _again(item: Item, digests: Digests, runs: Sequence[Run]) -> str:
    """Why an item that has these runs is verified again each time; empty where it is not."""
    return digests.obstacle(item.options, item.target) or next((run.reads for run in runs if run.reads), "")


def _run(items: Sequence[Item], store: Store, project: Project, options: Options, arguments: argparse.Namespace) -> int:
    """Verify what the store does not have yet, and report the whole shard."""
    from nkiverify.products.sweep.keeping import Digests, Keeping, Past, done_before
    from nkiverify.report.progress import Progress
    from nkiverify.results import run_history
    from nkiverify.run.executors.choice import longest_first, made
    from nkiverify.run.executors.jobs import Job, JobRuns, perform

    begin = time.perf_counter()
    digests = Digests()
    database = run_history.database(project.reports)
    past = Past(database, project.root, {item.name for item in items} - store.known.keys(), _warn)
    known = [] if arguments.no_cache else [store.known, past.known]
    runs = done_before(items, known, digests)
    took = run_history.durations(database)
    left = longest_first([item for item in items if item.name not in runs], took)
    if runs:
        print(f"nkiverify: {len(runs)} of {len(items)} items have their verdicts from before", file=sys.stderr)
    progress = Progress(len(left), sys.stderr)
    keeping = Keeping(items, store, past, progress, digests)
    keeping.recover({name: found for name, found in runs.items() if name not in store.known})
    outcome = JobRuns({})
    if left and not keeping.problem:
        jobs = [Job(item.name, item.target, item.options) for item in left]
        try:
            starts_programs = any(asks_second(item.options.engine) for item in left)
            outcome = perform(jobs, made(options, [item.target for item in left], starts_programs), keeping)
        finally:
            progress.close()
    unknown = [found for item in left if (found := _again(item, digests, keeping.runs.get(item.name, ())))]
    if unknown:
        _warn(f"{len(unknown)} items will be verified again each time: {unknown[0]}")
    problem = keeping.problem or outcome.problem
    if problem:
        print(f"nkiverify: error: {problem}", file=sys.stderr)
    return _report(
        items, {**runs, **keeping.runs}, project, arguments, begin, fresh=keeping.runs, interrupted=outcome.interrupted
    )


def _report(
    items: Sequence[Item],
    runs: Mapping[str, Sequence[Run]],
    project: Project,
    arguments: argparse.Namespace,
    begin: float,
    *,
    fresh: Collection[str] = (),
    interrupted: bool = False,
) -> int:
    """Write the results of all items next to the shards, and print what is not as expected; the exit status.

    The items `fresh` were verified by this invocation, the others before.
    """
    from nkiverify.frontend.guard import warning
    from nkiverify.report import terminal
    from nkiverify.report.style import Style
    from nkiverify.results import codec as json_results
    from nkiverify.results import run_history
    from nkiverify.results.session import ExitStatus, Session, worst

    missing = tuple(item.name for item in items if item.name not in runs)
    session = Session(
        runs=tuple(run for item in items for run in runs.get(item.name, ())),
        root=project.root,
        started=datetime.now(timezone.utc),
        seconds=time.perf_counter() - begin,
        processes=1,
        command=tuple(sys.argv[1:]),
        not_run=missing,
        interrupted=interrupted,
        lost=bool(missing) and not interrupted,
    )
    status = session.exit_status
    path = _folder(arguments, project) / _results_file(arguments)
    try:
        json_results.write(json_results.text(session), path)
        print(f"results: {path}")
    except OSError as error:
        print(f"nkiverify: error: {path} could not be written: {error.strerror or error}", file=sys.stderr)
        status = worst((status, ExitStatus.INTERNAL_ERROR))
    try:
        reported = (replace(run, cached=run.target not in fresh) for run in session.runs)
        run_history.record(replace(session, runs=tuple(reported)), run_history.database(project.reports))
    except run_history.HistoryError as error:
        _warn(f"this sweep is not in the history: {error}")
    for line in map(warning, session.refused):
        print(line, file=sys.stderr)
    if session.unexpected:
        shown = replace(session, runs=session.unexpected)
        print(terminal.report(shown, detail_expected=False, style=Style.of(sys.stdout)), end="")
    print(_summary(session, len(items)), flush=True)
    return status


def _warn(text: str) -> None:
    print(f"nkiverify: warning: {text}", file=sys.stderr)


def _summary(session: Session, items: int) -> str:
    counts = Counter(run.verdict.value for run in session.runs)
    found = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) or "no verdict"
    lines = [f"sweep of {items} items, {len(session.runs)} runs: {found}"]
    if session.unexpected:
        lines.append(f"{len(session.unexpected)} not as expected")
    if session.not_run:
        names = ", ".join(session.not_run[:3]) + (" …" if len(session.not_run) > 3 else "")
        lines.append(f"{len(session.not_run)} items without a verdict: {names}")
    return "\n".join(lines)


def _folder(arguments: argparse.Namespace, project: Project) -> Path:
    out: Path | None = arguments.out
    return out if out is not None else project.reports / f"sweep-{arguments.file.stem}"


def _results_file(arguments: argparse.Namespace) -> str:
    number, count = arguments.shard
    return "results.json" if count == 1 or arguments.merge else f"results-{number}-of-{count}.json"
