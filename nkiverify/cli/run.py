"""`nkiverify [NAME …]`: verify the targets of the manifest."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.allowing import add_allow, allowed_by
from nkiverify.cli.command_arguments import (
    add_executor,
    add_selection,
    made_folder,
    selected_targets,
    selection,
    writable,
)
from nkiverify.cli.main import COMMAND_LIST
from nkiverify.cli.rule_options import add_policy, policy_of
from nkiverify.engines.table import EMBEDDED, SECOND, asks_second, second_alone, second_must_answer
from nkiverify.foundation.errors import UsageError, described
from nkiverify.foundation.records import Basis
from nkiverify.project.repository import ensure_reports, with_targets
from nkiverify.project.settings import layered
from nkiverify.verify.options import DEFAULT_PHASES, EMBEDDED_ONLY, PHASES, Options, phases_to_run

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from nkiverify.cli.since import Before
    from nkiverify.foundation.records import Run
    from nkiverify.frontend.language_rules import Finding
    from nkiverify.frontend.target import Target
    from nkiverify.project.repository import Project
    from nkiverify.report.changes import SinceCommit
    from nkiverify.results.cache.remembered_runs import VerdictCache
    from nkiverify.results.session import Session

DESCRIPTION = """\
Verify targets of the manifest: all of them, or those named. What each verdict
means is in docs/verdicts.md. For a kernel without a manifest:
`nkiverify check`."""

EPILOG = f"""\
commands (without one it is run; `nkiverify COMMAND --help` has the options):
{COMMAND_LIST}

exit status:
  0    every run as expected (SUCCESSFUL where nothing is expected)
  1    a verdict other than expected; a refuted claim where nothing is expected
  2    the command line or a harness module cannot be used
  3    UNKNOWN: unsupported construct, time-out, solver gave up; SUCCESSFUL up
       to a bound that is not accepted (--accept bounded)
  4    an error of nkiverify itself, or a result file that could not be written
  5    nothing was verified: no target left, or a VACUOUS one
  130  interrupted; what had finished is reported and written
  Where several apply: 130, then 1, 4, 2, 3, 5."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    add_selection(parser)
    add = parser.add_argument
    add_executor(parser)
    add("--all", action="store_true", help="list every refuted claim with a witness each, not the first of each line")
    add("--fail-fast", action="store_true", help="stop at the first run that is not as expected")
    add("--json", type=Path, metavar="FILE", help="write the results to FILE as well as to reports/results.json")
    add("--sarif", type=Path, metavar="FILE", help="write them as SARIF 2.1.0, for code hosts")
    add("--junit", type=Path, metavar="FILE", help="write them as JUnit XML, for test reports")
    add("--markdown", type=Path, metavar="FILE", help="write them as Markdown, for $GITHUB_STEP_SUMMARY for example")
    add("--annotations", action="store_true", help="print GitHub's commands that show violations in a pull request")
    add_policy(parser, "not passed over")
    add("--no-page", action="store_true", help="do not write the page of the results (see `nkiverify dashboard`)")
    add_allow(parser)
    add(
        "--since",
        metavar="COMMIT",
        help="only targets of which a file changed since COMMIT, with what that changed in their verdicts",
    )
    add("--no-cache", action="store_true", help="run targets of which nothing changed again, and remember nothing")
    add("--list", action="store_true", help="list the targets that would be verified, and stop")
    add("--show-config", action="store_true", help="say what each setting is and where it comes from, and stop")
    add("--debug", action="store_true", help="show tracebacks of internal errors")


def execute(arguments: argparse.Namespace) -> int:
    """Verify what the arguments ask for; the exit status."""
    # Before anything of the user's is read.
    started = time.time_ns()
    project = with_targets(arguments.bundled)
    options, files = _asked(arguments, project)
    from nkiverify.project.manifest_targets import check_kernels, load_targets

    manifest = load_targets(options.root)
    targets = selected_targets(options, manifest)
    from nkiverify.report import target_list
    from nkiverify.results.session import ExitStatus, worst

    if arguments.show_config:
        from nkiverify.cli import config_table

        print(config_table.text(arguments, project, targets), end="")
        return ExitStatus.AS_EXPECTED
    if not targets:
        return ExitStatus.NOTHING_VERIFIED
    if arguments.list:
        print(target_list.plain(targets))
        return ExitStatus.AS_EXPECTED
    targets, options = _within_second(targets, options)
    if not targets:
        return ExitStatus.NOTHING_VERIFIED
    earlier = _earlier(arguments, targets, project, files)
    if earlier is not None:
        targets = earlier.targets
        if not targets:
            return ExitStatus.AS_EXPECTED
    from nkiverify.model.policy import ERROR
    from nkiverify.results.cache.remembered_runs import VerdictCache
    from nkiverify.results.warning_rules import failing, outside, with_accepted, with_unused, without_ignored

    check_kernels(targets)
    ensure_reports(project)
    cache = VerdictCache(options, project.reports, started) if options.cache and not options.allowed else None
    session = _verify(targets, options, cache, project.reports)
    strict = any(rule.action == ERROR and rule.pattern.startswith("lang.") for rule in options.policy.warnings)
    found, unread = _outside_language(targets, options) if strict else ([], "")
    language = outside(found, options.policy)
    everything = not (options.patterns or options.families or options.tags or earlier)
    session = with_accepted(session, language.accepted)
    session = with_unused(session, options.policy, everything=everything, language=strict)
    session = without_ignored(session, options.policy)
    warnings = _warnings(session, cache.problem if cache is not None else "", unread)
    since = earlier.attached(session) if earlier is not None else None
    session = _report(session, options, project.reports, files, warnings, since)
    status = worst((session.exit_status, ExitStatus.INTERNAL_ERROR)) if unread else session.exit_status
    if layered("page", False if arguments.no_page else None, project.settings, True, "--no-page").value:
        _write_page(session, project, manifest, remembers=options.cache)
    if language.reported:
        from nkiverify.cli.outcome import language_report

        print(language_report(language, project.root), end="", flush=True)
        status = worst((ExitStatus(status), ExitStatus.MISMATCH)) if language.failing else status
    if arguments.annotations:
        from nkiverify.report import annotations

        print(annotations.text(session), end="", flush=True)
    failed = failing(session, options.policy)
    print(failed, end="", flush=True)
    return worst((ExitStatus(status), ExitStatus.MISMATCH)) if failed else status


def _asked(arguments: argparse.Namespace, project: Project) -> tuple[Options, dict[str, Path]]:
    """The options of the run, and the files that reports are written to, by their forms. Raises `UsageError`."""
    from nkiverify.run.executors import choice

    options = replace(
        selection(arguments, project),
        jobs=layered("jobs", arguments.jobs, project.settings, None).value,
        memory=arguments.memory,
        executor=choice.checked(arguments.executor),
        fail_fast=arguments.fail_fast,
        every_violation=arguments.all,
        keep_lowered=made_folder(arguments.keep_lowered, "--keep-lowered"),
        disagreements=project.reports / "disagreements",
        debug=arguments.debug,
        cache=not arguments.no_cache,
        json=writable(arguments.json, "--json"),
        policy=policy_of(arguments, project.settings),
        allowed=allowed_by(arguments.allow, project.settings),
    )
    files = {
        form: path
        for form in ("sarif", "junit", "markdown")
        if (path := writable(getattr(arguments, form), f"--{form}"))
    }
    named = [
        path.resolve() for path in (options.json, *files.values()) if path is not None and not path.is_char_device()
    ]
    if len(set(named)) < len(named):
        raise UsageError("two of --json, --sarif, --junit and --markdown name the same file")
    return options, files


def _warnings(session: Session, problem: str, unread: str) -> list[str]:
    """The lines about verdicts that cannot be remembered, files that cannot be read, and what modules were refused."""
    from nkiverify.frontend.guard import warning

    lines = [f"nkiverify: warning: verdicts are not remembered: {problem}"] if problem else []
    lines += [f"nkiverify: error: whether kernels are inside the language is not known: {unread}"] if unread else []
    return lines + list(map(warning, session.refused))


def _earlier(
    arguments: argparse.Namespace, targets: Sequence[Target], project: Project, files: Mapping[str, Path]
) -> Before | None:
    """The targets that changed since the commit that is asked for, with what was found of them then; None where none
    is asked for. Where nothing changed, that is said, and written where a comment is to be."""
    if arguments.since is None:
        return None
    from nkiverify.cli.since import before
    from nkiverify.report import markdown
    from nkiverify.results import codec as json_results

    found = before(arguments.since, arguments, targets, project)
    if not found.targets:
        said = f"no file that a target is verified from has changed since {found.commit}"
        print(said)
        if "markdown" in files:
            json_results.write(f"## nkiverify: {markdown.plain(said)}\n", files["markdown"])
    return found


def _within_second(targets: list[Target], options: Options) -> tuple[list[Target], Options]:
    """Where the second engine alone decides, the targets and phases that it can be asked about; stderr says what is
    left out."""
    if not second_alone(options.engine):
        return targets, options
    left_out = [phase for target in targets for phase in phases_to_run(target, options) if phase in EMBEDDED_ONLY]
    phases = tuple(phase for phase in options.phases or DEFAULT_PHASES if phase not in EMBEDDED_ONLY)
    narrowed = replace(options, phases=phases)
    if left_out:
        names = " and ".join(f"{phase} ({PHASES[phase]})" for phase in sorted(set(left_out)))
        print(
            f"nkiverify: {SECOND.title} is not asked about phase {names}: {len(left_out)} runs are left out",
            file=sys.stderr,
        )
    return [target for target in targets if phases_to_run(target, narrowed)], narrowed


def _with_usable_engine(options: Options, names: Sequence[str]) -> Options:
    """The options, without the second engine where it cannot be used and nobody asked for it by name: stderr says so in
    a line. It is tried once, in a process of its own: libraries that it loads start threads here otherwise."""
    if not asks_second(options.engine) or options.executor not in ("processes", "in-process"):
        return options
    from nkiverify.run.executors.processes import start_method

    receiver, sender = start_method().Pipe(duplex=False)
    process = start_method().Process(target=_prepare, args=(names, options.lowering, sender), daemon=True)
    process.start()
    sender.close()
    with suppress(EOFError):
        reason = receiver.recv()
        if reason and not second_must_answer(options.engine):
            print(f"nkiverify: {SECOND.title} is not asked: {' '.join(reason.split())}", file=sys.stderr)
            options = replace(options, engine=EMBEDDED)
    process.join()
    return options


def _prepare(names: Sequence[str], lowering: str | None, sender: Connection) -> None:
    from nkiverify.verify.plugged import second_engine

    sender.send(second_engine().prepare(names, lowering))


def _outside_language(targets: Sequence[Target], options: Options) -> tuple[list[Finding], str]:
    """The findings where the kernels of `targets` are outside the documented language; why they are not known, where
    that is so."""
    from nkiverify.run.confinement import Confinement
    from nkiverify.run.supervisor import Stopped, in_child

    kernels = tuple(dict.fromkeys((target.kernel, target.root) for target in targets))
    confinement = Confinement.of(options.allowed)
    try:
        found = in_child("the language rules", partial(_findings, kernels), options.timeout, confinement)
    except Exception as error:  # of whatever the kernels' files do
        return [], described(error)
    return ([], str(found)) if isinstance(found, Stopped) else (found, "")


def _findings(kernels: Sequence[tuple[str, Path]]) -> list[Finding]:
    from nkiverify.frontend.instrument import Rewriting
    from nkiverify.frontend.language_rules import findings
    from nkiverify.frontend.loader import load_kernel

    loaded = [load_kernel(kernel, folder, Rewriting.NONE)[0] for kernel, folder in kernels]
    return sorted({found for kernel in loaded for found in findings(kernel)})


def _verify(targets: Sequence[Target], options: Options, cache: VerdictCache | None, reports: Path) -> Session:
    """Verify the targets that `cache` does not know."""
    from nkiverify.report.progress import Progress
    from nkiverify.results.run_history import database, durations
    from nkiverify.results.session import ExitStatus, Session, status_of
    from nkiverify.run.executors import choice
    from nkiverify.run.executors.jobs import Job, JobRuns, perform
    from nkiverify.run.remembering import Remembering

    started = datetime.now(timezone.utc)
    clock = time.perf_counter()
    # Programs that are to be left somewhere have to be made.
    known = cache.lookup(targets) if cache is not None and options.keep_lowered is None else {}
    left = [target for target in targets if target.name not in known]
    processes = choice.processes_of(options, len(left))

    def fails(run: Run) -> bool:
        return status_of(run) is not ExitStatus.AS_EXPECTED

    if options.fail_fast and any(fails(run) for runs in known.values() for run in runs):
        left = []
    progress = Progress(len(left), sys.stderr)
    outcome = JobRuns({})
    if left:
        if options.executor == "in-process":
            print(f"nkiverify: {choice.IN_PROCESS} (docs/security.md)", file=sys.stderr)
        order = choice.longest_first(left, durations(database(reports))) if processes > 1 else left
        options = _with_usable_engine(options, [target.name for target in order])
        jobs = [Job(target.name, target, options) for target in order]
        try:
            executor = choice.made(options, left, starts_programs=asks_second(options.engine))
            listener = progress if cache is None else Remembering(cache, left, progress)
            outcome = perform(jobs, executor, listener, fails if options.fail_fast else None)
        finally:
            progress.close()
    if outcome.problem:
        print(f"nkiverify: error: {outcome.problem}", file=sys.stderr)
    done = {**known, **outcome.by_job}
    not_run = tuple(target.name for target in targets if target.name not in done)
    return Session(
        runs=tuple(run for target in targets for run in done.get(target.name, ())),
        root=options.root,
        started=started,
        seconds=time.perf_counter() - clock,
        processes=processes,
        command=tuple(sys.argv[1:]),
        not_run=not_run,
        interrupted=outcome.interrupted,
        lost=bool(outcome.problem) or bool(not_run and not outcome.interrupted and not options.fail_fast),
    )


def _report(
    session: Session,
    options: Options,
    reports: Path,
    files: Mapping[str, Path],
    warnings: Sequence[str],
    since: SinceCommit | None,
) -> Session:
    """Write the results into `reports`, and by their form into `files`, and print the report; the session, which says
    what could not be written. `since` is what changed since a commit."""
    from nkiverify.report import terminal
    from nkiverify.report.style import Style
    from nkiverify.results import codec as json_results
    from nkiverify.results import run_history

    content = json_results.text(session)
    contents = {path: content for path in (reports / "results.json", options.json) if path is not None}
    contents |= {path: _formatted(session, form, since) for form, path in files.items()}
    complaints = [*warnings, *_bundle(session, options, reports / "not-replayed")]
    unwritten = json_results.write_all(contents)
    complaints += [f"nkiverify: error: {path} could not be written: {why}" for path, why in unwritten.items()]
    session = replace(session, unwritten=tuple(f"{path}: {why}" for path, why in unwritten.items()))
    try:
        run_history.record(session, run_history.database(reports))
    except run_history.HistoryError as error:
        # The history only tells: without it, every verdict is what it is.
        complaints.append(f"nkiverify: warning: this run is not in the history: {error}")
    chosen = bool(options.patterns or options.families or options.tags)
    style = Style.of(sys.stdout)
    reported = terminal.report(
        session,
        detail_expected=chosen,
        debug=options.debug,
        style=style,
        again=lambda run: f"nkiverify replay --target {shlex.quote(run.target)} --phase {run.phase} --pdb",
    )
    print(reported, end="", flush=True)
    if since is not None:
        from nkiverify.cli.since import text

        print(text(since), end="", flush=True)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return session


def _write_page(session: Session, project: Project, manifest: Sequence[Target], *, remembers: bool) -> None:
    """Write the page of `nkiverify dashboard`, and say on stderr where it is, or why there is none. It gets the whole
    `manifest`: it says which of those that were not run failed last."""
    from nkiverify.cli import dashboard
    from nkiverify.results import file as results_file

    if not session.runs:
        return
    if lacking := dashboard.missing():
        print(f"nkiverify: no page of these results: {dashboard.needs(lacking)} (or --no-page)", file=sys.stderr)
        return
    path = dashboard.page_of(project)
    try:
        dashboard.write(project, manifest, results_file.of(session), path, {}, remembers=remembers)
        print(f"nkiverify: the page of these results is {path}", file=sys.stderr)
    except Exception as error:  # on a full disk, of the library that makes it as well
        # The page only shows: without it, every verdict is what it is.
        said = error.strerror if isinstance(error, OSError) else described(error)
        print(f"nkiverify: warning: no page was written: {said}", file=sys.stderr)


def _formatted(session: Session, form: str, since: SinceCommit | None = None) -> str:
    """The session as `sarif`, `junit` or `markdown`."""
    if form == "junit":
        from nkiverify.report import junit

        return junit.text(session)
    if form == "markdown":
        from nkiverify.report import markdown

        return markdown.text(session, since)
    from nkiverify.cli.formats import text_of

    return text_of(session, form)


def _bundle(session: Session, options: Options, folder: Path) -> list[str]:
    """Put together what a report of every witness that does not replay needs; what to tell the user about it."""
    doubtful = [run for run in session.runs if run.basis is Basis.NOT_REPLAYED]
    if not doubtful:
        return []
    from nkiverify.results.emit import BUNDLE_SECONDS
    from nkiverify.run.confinement import Confinement
    from nkiverify.run.supervisor import Stopped, in_child

    confinement = Confinement.of(options.allowed, [folder.parent])
    complaints = []
    for run in doubtful:
        work = partial(_written, run, session, folder, options)
        try:
            bundle = in_child(f"the bundle of {run.target}", work, 2 * BUNDLE_SECONDS, confinement)
        except Exception as error:  # of whatever the kernel does, and of disks
            complaints.append(f"nkiverify: error: no bundle for {run.target}: {described(error)}")
            continue
        if isinstance(bundle, Stopped):
            complaints.append(f"nkiverify: error: no bundle for {run.target}: {bundle}")
        else:
            complaints.append(f"nkiverify: {run.target} does not replay: please report it with {bundle}")
    return complaints


def _written(run: Run, session: Session, folder: Path, options: Options) -> str:
    """The bundle of one run, for which its kernel runs again, by its name."""
    from nkiverify.results.emit import write_bundle
    from nkiverify.run.executors.jobs import targets_by_name

    return str(write_bundle(run, targets_by_name(options.root)[run.target], session, folder, options))
