"""Running `check` on kernels of which not everything is given, and printing what is found out about each."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.formats import annotate, text_of
from nkiverify.cli.last_failure import REPLAY, CheckQuestion, remember
from nkiverify.cli.outcome import not_compared, session_here, written
from nkiverify.foundation.budget import RepairBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.records import KernelAnswer, Remark
from nkiverify.frontend.guard import passed_over, warning
from nkiverify.products.derive import domain_text as legality
from nkiverify.products.derive import proposals
from nkiverify.products.derive.domain_answers import DomainAnswer
from nkiverify.products.derive.legality import answer
from nkiverify.products.derive.proposals import asserts, definition, manifest_entry
from nkiverify.report.progress import Progress
from nkiverify.report.style import Style
from nkiverify.results import wording
from nkiverify.results.session import ExitStatus, Session, counting, status_of, worst
from nkiverify.results.warning_rules import failing, outside, runs_without_ignored, with_unused, without_ignored
from nkiverify.results.wording import rests_on
from nkiverify.run.confinement import Confinement
from nkiverify.run.supervisor import Stopped, in_child
from nkiverify.verify.options import Options
from nkiverify.verify.rule_ids import check_comments

if TYPE_CHECKING:
    from nkiverify.cli.remembered_checks import Memory
    from nkiverify.products.repair.patches import RepairAnswer

#: Columns that are filled: no fewer, no more, and where there is no terminal.
_NARROWEST, _WIDEST, _USUAL = 60, 120, 100


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The request: kernels to check, and the parts of the answer to print.

    `references` are kernels as `PATH::NAME`, `arguments`, `where` and `grid` what was typed about the only one;
    `hardware` is None where nobody names it.
    `every`: show the source of all that fails. `fix`: print asserts; `in_place`: write them into the files of the
    kernels; `manifest_entry`: print a target. `form` is one of
    `nkiverify.cli.formats.FORMATS`. A kernel that has no answer after this many `seconds`, of the wall's clock or of
    processor time, is stopped.
    """

    references: tuple[str, ...]
    seconds: tuple[float, float]
    #: Files of a folder that cannot be read or are no Python, with the reason.
    left_out: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    grid: str | None = None
    hardware: str | None = None
    no_spills: bool = False
    assume_asserts: bool = False
    every: bool = False
    fix: bool = False
    manifest_entry: bool = False
    in_place: bool = False
    form: str = "full"
    annotations: bool = False


def answers(asked: CheckRequest, options: Options, confinement: Confinement, memory: Memory | None = None) -> int:
    """Check all kernels, each in a process of its own that is confined so, print what is found out about each; the exit
    status. What ends with one kernel takes nothing from the others. `memory` hears what is found."""
    started, clock = datetime.now(timezone.utc), time.perf_counter()
    style, width = Style.of(sys.stdout), terminal_width()
    files = list(dict.fromkeys(reference.partition("::")[0] for reference in asked.references))
    check_comments([str(Path(file).resolve()) for file in files])
    progress = Progress(len(asked.references), sys.stderr)
    found: list[DomainAnswer] = []
    passed: dict[str, str] = {}
    ending = 0
    kept = False
    for reference in asked.references:
        progress.started(reference)
        try:
            one, mended, ending = answer_apart(reference, asked, options, confinement, passed)
        finally:
            progress.close()
        if ending:
            break
        one = _without_ignored(one, options)
        progress.finished(reference, one.runs)
        progress.close()
        found.append(one)
        if one.status is not None:
            # What the supervisor has said.
            continue
        first = not kept and remember(_question(one, asked, options), one.runs)
        kept = kept or first
        if asked.form == "full":
            print(_told(one, asked, options, style, width, REPLAY if first else "", mended), flush=True)
        elif one.problem:
            print(f"nkiverify: {one.problem}", file=sys.stderr)
    progress.close()
    for file, why in asked.left_out:
        print(f"nkiverify: error: {why}; not checked: --exclude {Path(file).name} leaves it out", file=sys.stderr)
    if asked.in_place:
        for file, number in proposals.written(found, options.root).items():
            print(f"nkiverify: {file} has {wording.counted(number, 'assert')} more", file=sys.stderr)
    for line in passed.values():
        print(warning(line), file=sys.stderr)
    if memory is not None and not ending and not asked.left_out and all(one.runs for one in found):
        memory.conclude((run for one in found for run in one.runs), [*passed, *(one.problem for one in found)])
    session = session_here((run for one in found for run in one.runs), options.root, started, clock)
    session = without_ignored(_with_unused(session, found, options), options.policy)
    session = replace(session, answers=tuple(_recorded(one, options) for one in found))
    statuses = [status_of_answer(one) for one in found]
    people = asked.form == "full"
    if people and session.unused:
        from nkiverify.report.terminal import unused_ignores

        print(f"{unused_ignores(session, width)}\n")
    if not people:
        print(text_of(session, asked.form), end="", flush=True)
    elif len(asked.references) > 1:
        unchecked = sum(
            status is ExitStatus.MISMATCH and one.derived is not None and one.derived.proved
            for one, status in zip(found, statuses, strict=True)
        )
        print(legality.summary(statuses, unchecked, len(asked.references), session.seconds))
    statuses += _language_statuses(found, options)
    statuses += [ExitStatus.USAGE for _ in asked.left_out]
    if asked.annotations:
        annotate(session, asked.form)
    for file in written(session, options).unwritten:
        print(f"not written: {file}", file=sys.stdout if people else sys.stderr, flush=True)
        statuses.append(ExitStatus.INTERNAL_ERROR)
    failed = failing(session, options.policy)
    print(failed, end="", file=sys.stdout if people else sys.stderr, flush=True)
    return ending or worst([*statuses, ExitStatus.MISMATCH] if failed else statuses)


def answer_apart(
    reference: str, asked: CheckRequest, options: Options, confinement: Confinement, passed: dict[str, str]
) -> tuple[DomainAnswer, RepairAnswer | None, int]:
    """The answer about one kernel, from a process that has nothing else to do, the patches that mend it, where those
    are asked for, and the exit status to end with at once; 0 if none. What was refused to its modules is `passed` over,
    by place."""

    def work() -> tuple[DomainAnswer, RepairAnswer | None, dict[str, str]]:
        # Of other kernels of this process, where it has had any.
        passed_over.clear()
        one = answer(
            reference,
            options.root,
            asked.arguments,
            asked.where,
            asked.grid,
            asked.hardware,
            options,
            no_spills=asked.no_spills,
            assume_asserts=asked.assume_asserts,
        )
        return one, _repaired(one, asked, options) if asked.fix and asked.form == "full" else None, passed_over

    wall, processor = asked.seconds
    try:
        found = in_child(reference, work, wall, confinement, options.memory, processor)
    except UsageError as error:
        if len(asked.references) == 1:
            raise
        return DomainAnswer(reference, (), "", problem=str(error)), None, 0
    if isinstance(found, Stopped):
        one = DomainAnswer(reference, (), "", problem=str(found))
        if found.status in (ExitStatus.UNKNOWN, ExitStatus.INTERNAL_ERROR):
            return replace(one, status=ExitStatus(found.status)), None, 0
        return one, None, found.status
    one, mended, refused = found
    passed |= refused
    return one, mended, 0


def _repaired(one: DomainAnswer, asked: CheckRequest, options: Options) -> RepairAnswer | None:
    """The patches of a kernel that fails, or accepts shapes for which it does."""
    from nkiverify.products.repair.patches import RepairQuestion
    from nkiverify.products.repair.ranking import is_wrong
    from nkiverify.products.repair.repair import repaired

    if not is_wrong(one):
        return None
    question = RepairQuestion(
        one.reference,
        options.root,
        asked.arguments,
        asked.where,
        asked.grid,
        asked.hardware,
        seconds=RepairBudget.SECONDS_BESIDE_A_CHECK,
    )
    return repaired(question, options, one)


def _with_unused(session: Session, found: Sequence[DomainAnswer], options: Options) -> Session:
    """The session with a warning for each ignore that accepts nothing. Of a kernel that fails outside its domain none
    is: what it accepts there is in no verdict."""
    whole = [one for one in found if one.derived is None or not one.derived.outside]
    looked = replace(session, runs=tuple(run for one in whole for run in one.runs))
    looked = with_unused(looked, options.policy, everything=len(whole) == len(found), language=True)
    return replace(session, unused=looked.unused)


def _without_ignored(one: DomainAnswer, options: Options) -> DomainAnswer:
    """The answer without the warnings that are to be ignored."""
    runs = runs_without_ignored(one.runs, options.policy)
    derived = one.derived
    if derived is not None:
        derived = replace(derived, runs=runs_without_ignored(derived.runs, options.policy))
    return replace(one, runs=runs, derived=derived)


def _question(one: DomainAnswer, asked: CheckRequest, options: Options) -> CheckQuestion:
    """The question that has this answer, without anything that is inferred."""
    more = (one.hardware, asked.assume_asserts, asked.no_spills)
    return CheckQuestion(str(options.root), one.reference, one.arguments, asked.where, one.grid or None, *more)


def _recorded(one: DomainAnswer, options: Options) -> KernelAnswer:
    """The answer about one kernel, as the results keep it."""
    path, _, name = one.reference.partition("::")
    function = definition(one.reference, options.root)
    lacking = proposals.lacking(one, options.root)
    language = outside(one.language, options.policy).reported
    return KernelAnswer(
        kernel=name,
        file=str((options.root / path).resolve()),
        line=function.lineno if function is not None else 0,
        said=legality.headline(one, options.root),
        legal=one.derived is not None and one.derived.proved,
        assumed=(
            *one.inferred,
            *([f"grid={one.inferred_grid}"] if one.inferred_grid else ()),
            *([f"target={one.inferred_hardware}"] if one.inferred_hardware else ()),
        ),
        asserts=lacking.asserts if lacking is not None else (),
        after=lacking.after if lacking is not None else 0,
        language=tuple(Remark(found.file, found.line, found.column, found.rule, found.message) for found in language),
    )


def _told(
    one: DomainAnswer,
    asked: CheckRequest,
    options: Options,
    style: Style,
    width: int,
    again: str,
    mended: RepairAnswer | None,
) -> str:
    """All that is printed of one kernel; `again` is the command that replays its failure, if there is one, `mended` the
    patches that mend it, where some were searched for."""
    language = outside(one.language, options.policy)
    said = proposals.in_kernel(one, options.root)
    parts = [legality.text(one, options.root, width, style, asked.every, language.reported, said)]
    parts += [f"  assumed: {text}" for text in options.allowed.assumed()]
    alone = rests_on(counting(one.runs))
    parts += [f"  {alone}"] if alone else []
    runs = one.derived.runs if one.derived is not None else one.runs
    parts.append(not_compared(one.reference, one.arguments, one.grid, runs, options.root, width))
    commands = [f"replay: {again}"] if again else []
    if not asked.fix and _needs_an_edit(one, options.root):
        commands.append(f"repair: {_repair(one.reference, asked)}")
    if commands:
        parts[0] = parts[0].rstrip("\n")
        parts.append("".join(f"  {line}\n" for line in commands))
    lacking = asserts(one, options.root) if asked.fix else ""
    if mended is not None and not (lacking and mended.is_asserted):
        from nkiverify.products.repair.repair_text import fixes

        file = (options.root / one.reference.partition("::")[0]).resolve()
        parts.append(fixes(mended, file.read_text(encoding="utf-8"), style))
    elif asked.fix:
        parts.append(lacking)
    if asked.manifest_entry:
        parts.append(manifest_entry(one))
    return "\n".join(part for part in parts if part)


def _needs_an_edit(one: DomainAnswer, root: Path) -> bool:
    """True if the kernel fails, and there is more to mend than asserts that it lacks."""
    if status_of_answer(one) is not ExitStatus.MISMATCH:
        return False
    stated = one.derived.preconditions if one.derived is not None else ()
    return any(each.dead for each in stated) or proposals.lacking(one, root) is None


def _repair(reference: str, asked: CheckRequest) -> str:
    """The command that looks for an edit which mends a kernel, with what was typed."""
    typed = [("--arg", text) for text in asked.arguments] + [("--where", text) for text in asked.where]
    typed += [("--grid", asked.grid)] if asked.grid is not None else []
    typed += [("--target", asked.hardware)] if asked.hardware is not None else []
    return shlex.join(["nkiverify", "repair", reference, *(part for pair in typed for part in pair)])


def _language_statuses(found: Sequence[DomainAnswer], options: Options) -> list[ExitStatus]:
    strict = any(outside(one.language, options.policy).failing for one in found)
    return [ExitStatus.MISMATCH] if strict else []


def terminal_width() -> int:
    """Columns of the terminal, as far as a report fills them."""
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((_USUAL, 24)).columns))


def status_of_answer(found: DomainAnswer) -> ExitStatus:
    """The exit status that the answer about one kernel asks for."""
    if found.problem:
        return found.status or ExitStatus.USAGE
    if not found.runs:
        return ExitStatus.NOTHING_VERIFIED
    return worst(status_of(run) for run in found.runs)
