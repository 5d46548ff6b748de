"""Running a request, and what is reported of it next to the verdicts: what was checked, and what was assumed."""

from __future__ import annotations

import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from itertools import chain
from pathlib import Path

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.frontend.language_rules import Finding
from nkiverify.project.request import Request
from nkiverify.project.requested import verdicts
from nkiverify.project.vacuous import is_empty
from nkiverify.report.style import PLAIN, Style
from nkiverify.results import wording
from nkiverify.results.session import Session, counting
from nkiverify.results.warning_rules import Outside
from nkiverify.run.supervisor import keep
from nkiverify.symbolic.terms import fresh
from nkiverify.verify.evidence import replacement
from nkiverify.verify.options import DEFAULT_HARDWARE, Options

#: What is said of a phase that has no verdict yet.
_UNFINISHED = "not finished"
#: Places of one finding that are listed.
_PLACES = 3


def session_here(runs: Iterable[Run], root: Path, started: datetime, clock: float) -> Session:
    """The session of this one process that began at `started`, when `time.perf_counter()` was `clock`."""
    return Session(
        runs=tuple(runs),
        root=root,
        started=started,
        seconds=time.perf_counter() - clock,
        processes=1,
        command=tuple(sys.argv[1:]),
    )


@dataclass(frozen=True, slots=True)
class CheckedKernel:
    """The result of the process that has run a kernel: the `subject` and the command for a `next_step` as they are
    printed, uses of the language that is not documented, and what its modules were refused."""

    runs: tuple[Run, ...]
    subject: str
    next_step: str
    language: tuple[Finding, ...]
    passed_over: tuple[str, ...]


def checked(request: Request, hardware: Sequence[str], options: Options) -> CheckedKernel:
    """The verdicts of the request on each of the hardware generations; where this process is stopped, those of the
    phases that have theirs are kept."""
    from nkiverify.frontend.guard import passed_over
    from nkiverify.frontend.language_rules import findings

    language = tuple(findings(request.kernel))

    def found(session: Session, step: str = "") -> CheckedKernel:
        return CheckedKernel(tuple(session.runs), _subject(request), step, language, tuple(passed_over.values()))

    session = check(request, hardware, options, lambda unfinished: keep(found(unfinished)))
    return found(session, next_step(session, request))


@fresh()
def check(
    request: Request,
    hardware: Sequence[str],
    options: Options,
    reported: Callable[[Session], None] = lambda session: None,
) -> Session:
    """The verdicts of the request on each of the hardware generations. `reported` hears, each time that a phase has its
    verdict, what would be left if the session ended there."""
    started = datetime.now(timezone.utc)
    clock = time.perf_counter()
    runs: list[Run] = []
    targets = [request.target(name, len(hardware) > 1) for name in hardware]

    def session(found: Iterable[Run]) -> Session:
        return session_here(found, options.root, started, clock)

    def heard(number: int, so_far: list[Run]) -> None:
        unfinished = [
            replacement(target, options, Basis.TIME_OUT, _UNFINISHED, _UNFINISHED, so_far=() if later else so_far)
            for later, target in enumerate(targets[number:])
        ]
        reported(session((*runs, *chain.from_iterable(unfinished))))

    for number, name in enumerate(hardware):
        request.outcome.returned = False
        runs += verdicts(request, name, options, several=len(hardware) > 1, reported=partial(heard, number))
    return session(runs)


def report(session: Session, subject: str, debug: bool, style: Style = PLAIN, again: str = "") -> str:
    """Everything `check` prints about a kernel; `again` is the command that replays what fails."""
    from nkiverify.report import terminal

    parts = [subject]
    assumed = list(dict.fromkeys(text for run in session.runs for text in run.assumptions))
    if assumed:
        parts.append("Assumed:\n" + "\n".join(f"  {text}" for text in assumed))
    runs = tuple(replace(run, assumptions=()) for run in session.runs)
    reported = terminal.report(
        replace(session, runs=runs),
        detail_expected=True,
        debug=debug,
        style=style,
        again=lambda run: again,
    )
    parts.append(reported)
    return "\n\n".join(parts)


def next_step(session: Session, request: Request) -> str:
    """The command for a domain on which phases that fail hold, in a line, or for looking for one; empty where there is
    none to look for."""
    failed = [run for run in counting(session.runs) if run.verdict is Verdict.FAILED]
    phases = sorted({run.phase for run in failed} - {run.phase for run in failed if not run.suffices})
    texts = _strictest(text for run in failed if run.phase in phases for text in run.suffices)
    if failed and request.domain.ranges and not texts:
        return "--derive looks for the shapes for which it is legal\n"
    if not texts or is_empty(request, DEFAULT_HARDWARE, texts):
        return ""
    words = f"--where {shlex.quote(' and '.join(texts))}"
    if request.asserts and not request.where:
        # With --where they would be claims.
        words += " --assume-asserts"
    if len({run.phase for run in session.runs}) > 1 and all(run.suffices for run in failed):
        return f"no phase fails with {words}\n"
    return f"{wording.phases(phases)} {'holds' if len(phases) == 1 else 'hold'} with {words}\n"


def _strictest(texts: Iterable[str]) -> list[str]:
    """The conditions, each once, and of several upper bounds of a dimension the least."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, bound = text.partition(" <= ")
        known = found.get(name) if bound.isdigit() else None
        if known is None or int(bound) < int(known.partition(" <= ")[2]):
            found[name if bound.isdigit() else text] = text
    return [f"({text})" if " or " in text and len(found) > 1 else text for text in found.values()]


def language_report(outside: Outside, base: Path) -> str:
    """The places outside the documented language: the first places of each rule, and how many there are."""
    from nkiverify.report import terminal

    found = outside.reported
    strict = len(outside.failing) == len(found)
    by_message: dict[tuple[str, str], list[Finding]] = {}
    for finding in found:
        by_message.setdefault((finding.rule, finding.message), []).append(finding)
    lines = [f"\nOutside the language that NKI {outside.nki} documents{':' if strict else ' (warnings):'}"]
    for (rule, message), places in by_message.items():
        shown = ", ".join(_place(finding, base) for finding in places[:_PLACES])
        more = f" and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
        lines.append(textwrap.fill(f"{rule}: {message}", terminal.WIDTH, initial_indent="  ", subsequent_indent="    "))
        lines.append(
            textwrap.fill(
                f"at {shown}{more}",
                terminal.WIDTH,
                initial_indent="    ",
                subsequent_indent="       ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        )
    if outside.failing:
        lines.append(f"FAILED (language): {wording.counted(len(outside.failing), 'place')}")
    return "\n".join(lines) + "\n"


def _place(finding: Finding, base: Path) -> str:
    path = Path(finding.file)
    shown = path.relative_to(base) if path.is_relative_to(base) else path
    return f"{shown}:{finding.line}:{finding.column + 1}"


def _subject(request: Request) -> str:
    from nkiverify.report import terminal

    given = ", ".join(f"{part.parameter}={part.text.content.strip()}" for part in request.arguments)
    line = f"{request.reference}({given})"
    ranges = [f"{name} in {values}" for name, values in request.domain.ranges.items() if values is not None]
    if ranges:
        line += " for " + ", ".join(ranges)
    return textwrap.fill(line, terminal.WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def written(session: Session, options: Options) -> Session:
    """Write the results to the files that are asked for; the session, which says which could not be written."""
    files = {form: file for form, file in (("json", options.json), ("sarif", options.sarif)) if file is not None}
    if not files:
        return session
    from nkiverify.cli.formats import text_of
    from nkiverify.results import codec as json_results

    unwritten = json_results.write_all({file: text_of(session, form) for form, file in files.items()})
    return replace(session, unwritten=tuple(f"{file}: {why}" for file, why in unwritten.items()))


def not_compared(
    kernel: str, arguments: Sequence[str], grid: str | None, runs: Sequence[Run], root: Path, width: int
) -> str:
    """Lines that say that values were not compared, and the command that compares them, where all `runs` of a kernel
    are SUCCESSFUL and its file has a reference for it; empty otherwise."""
    import shlex  # as late as this: most files have no reference
    import textwrap

    from nkiverify.project.discovery import reference_for

    path, _, name = kernel.partition("::")
    if not runs or any(run.verdict is not Verdict.SUCCESSFUL for run in runs):
        return ""
    found = reference_for((root / path).resolve(), name)
    if not found:
        return ""
    given = [part for text in arguments for part in ("--arg", text)] + (["--grid", grid] if grid else [])
    command = shlex.join(["nkiverify", "equiv", kernel, "--reference", f"{path}::{found}", *given])
    return textwrap.fill(
        f"values are not compared with {found}: {command}",
        width,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
