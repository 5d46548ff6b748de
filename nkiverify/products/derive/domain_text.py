"""For which shapes a kernel is legal, as the terminal shows it: the domain, who checks it, what fails beyond."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.foundation.records import BOUNDED, KernelWarning, Run, Verdict, Violation
from nkiverify.foundation.source import Site
from nkiverify.frontend.language_rules import Finding, in_short
from nkiverify.report import memory_peaks
from nkiverify.report.style import PLAIN, Style
from nkiverify.results import wording
from nkiverify.results.session import ExitStatus, accepted

if TYPE_CHECKING:
    from nkiverify.products.derive.domain_answers import DomainAnswer
    from nkiverify.products.derive.statements import Derived, Precondition

#: Columns of a line that is not broken.
_ENDLESS = 1 << 20


def text(
    answer: DomainAnswer,
    root: Path,
    width: int = 80,
    style: Style = PLAIN,
    every: bool = False,
    language: Sequence[Finding] = (),
    in_kernel: Callable[[str], str] = str,
) -> str:
    """Everything that is said of one kernel.

    `every`: show the source of all failures. `language`: what it uses outside the documented language. `in_kernel`
    says a condition about the dimensions in the words of the kernel.
    """
    lines = list(_lines(answer, root, width, style, every, in_kernel))
    runs = answer.derived.runs if answer.derived is not None else answer.runs
    if every:
        for run in runs:
            lines += memory_peaks.lines(run.memory, root, width, style)
    for taken in accepted(runs):
        words = f"accepted {taken.rule}: {wording.text(taken.message, root)} [{taken.reason}]"
        lines += _placed(words, Site(taken.file, taken.line), root, width, style)
    warned: dict[str, list[KernelWarning]] = {}
    for run in runs:
        for one in run.warnings:
            warned.setdefault(one.rule, []).append(one)
    for rule, of_rule in warned.items():
        for first in of_rule if every else of_rule[:1]:
            more = f" (+ {len(of_rule) - 1} more)" if len(of_rule) > 1 and not every else ""
            words = f"{style.warn('warning')} {rule}: {wording.text(first.message, root)}{more}"
            lines += _placed(words, Site(first.file, first.line), root, width, style)
    by_rule: dict[str, list[Finding]] = {}
    for finding in language:
        by_rule.setdefault(finding.rule, []).append(finding)
    for rule, places in by_rule.items():
        words = f"outside the language: {rule}: {in_short(places, '→' if style.unicode else '->')}"
        lines += _placed(words, Site(places[0].file, places[0].line), root, width, style)
    return "\n".join(lines) + "\n"


def summary(statuses: Sequence[ExitStatus], unchecked: int, kernels: int, seconds: float) -> str:
    """How many kernels there are, how many of them are legal, fail, or are open, and how many were not begun. Of those
    that fail `unchecked` are legal on a domain that they do not check."""
    words = {
        ExitStatus.AS_EXPECTED: "legal",
        ExitStatus.MISMATCH: "FAILED",
        ExitStatus.UNKNOWN: "not proved",
        ExitStatus.NOTHING_VERIFIED: "of which no shape was found that passes",
        ExitStatus.USAGE: "not checked",
        ExitStatus.INTERNAL_ERROR: "with an error of nkiverify",
    }
    counted = [(statuses.count(status), text) for status, text in words.items()]
    counted[1:2] = [(unchecked, "legal where they do not check it"), (counted[1][0] - unchecked, counted[1][1])]
    counted.append((kernels - len(statuses), "not begun"))
    reported = ", ".join(f"{number} {text}" for number, text in counted if number)
    return f"{wording.counted(kernels, 'kernel')} in {seconds:.1f} s: {reported}"


def headline(answer: DomainAnswer, root: Path) -> str:
    """For which shapes the kernel is legal, or why that is not known, in a line without its name."""
    if answer.problem:
        return f"was not checked: {wording.text(answer.problem, root)}"
    name, derived = answer.reference.partition("::")[2], answer.derived
    if derived is None:
        return next(_verdicts(answer, name, root, _ENDLESS, PLAIN)).removeprefix(f"{name} ")
    if derived.proved:
        said = [f"{_domain(derived)}; {_proof(answer.runs, derived)}"]
    else:
        said = [next(_not_proved(derived, name, root, _ENDLESS, PLAIN)).removeprefix(name).lstrip(": ")]
    return "; ".join(" ".join(line.split()) for line in [*said, *_limits(derived, root, _ENDLESS, PLAIN)])


def _lines(
    answer: DomainAnswer, root: Path, width: int, style: Style, every: bool, in_kernel: Callable[[str], str]
) -> Iterator[str]:
    path, _, name = answer.reference.partition("::")
    if answer.problem:
        yield style.warn(f"{answer.reference} was not checked")
        yield from _wrapped(answer.problem, width)
        return
    derived = answer.derived
    if derived is None:
        yield from _verdicts(answer, name, root, width, style)
    elif derived.proved:
        yield from _legal(derived, name, answer, width, style)
    else:
        yield from _not_proved(derived, name, root, width, style)
    if derived is not None:
        yield from _bugs(derived, root, width, style, every)
        yield from _beyond(derived, root, width, style, every, in_kernel)
        yield from _limits(derived, root, width, style)
        yield from _necessary(derived, width)
    yield from _assumed(answer, root, width, style)
    del path


def _bugs(derived: Derived, root: Path, width: int, style: Style, every: bool) -> Iterator[str]:
    """The failures whatever the domain is: the first in full, others, which may be due to the shape alone, in a
    line."""
    from nkiverify.report import diagnostic

    reported = {(one.contract, one.file, one.line) for run in derived.runs for one in run.violations}
    bugs = [one for one in derived.bugs if (one.contract, one.file, one.line) not in reported]
    shown = len(bugs) if every else 1
    for violation in bugs[:shown]:
        yield from diagnostic.violations([violation], root, width, style)
    for violation in bugs[shown:]:
        values = ", ".join(f"{name} = {value}" for name, value in violation.witness.items())
        place = Site(violation.file, violation.line) if violation.file else None
        yield from _placed(f"also, for {values}: {consequence(violation)}", place, root, width, style)


def _legal(derived: Derived, name: str, answer: DomainAnswer, width: int, style: Style) -> Iterator[str]:
    words = _domain(derived)
    how = f"{_proof(answer.runs, derived)}, {answer.seconds:.1f} s"
    line = f"{name} {words}"
    if len(line) + 4 + len(how) <= width:
        line = line + " " * (width - len(line) - len(how)) + how
        yield line.replace(words.split("  ")[0], style.good(words.split("  ")[0]), 1)
        return
    wrapped = textwrap.wrap(line, width, subsequent_indent=" " * 4, break_long_words=False, break_on_hyphens=False)
    wrapped[0] = wrapped[0].replace(words.split("  ")[0], style.good(words.split("  ")[0]), 1)
    yield from wrapped
    yield from _wrapped(how, width)


def _domain(derived: Derived) -> str:
    conditions = ", ".join(one.text for one in derived.preconditions)
    return f"is legal where  {conditions}" if conditions else "is legal for all shapes"


def _proof(runs: Sequence[Run], derived: Derived) -> str:
    """The grounds of the answer."""
    counted = [run for run in derived.runs or runs if run.verdict is Verdict.SUCCESSFUL]
    by_bound: dict[str, list[int]] = {}
    for run in counted:
        if run.is_bounded:
            by_bound.setdefault(run.qualifier.removeprefix(BOUNDED).strip(), []).append(run.phase)
    bounds = [
        f"{wording.phases(sorted(numbers))}: {f'{bound} iterations' if bound.isdigit() else bound}"
        for bound, numbers in by_bound.items()
    ]
    phases = wording.counted(len(counted), "phase")
    where = f"proved within bounds ({'; '.join(bounds)})" if bounds else "proved for all such shapes"
    return f"{where}, {phases}"


def _verdicts(answer: DomainAnswer, name: str, root: Path, width: int, style: Style) -> Iterator[str]:
    """Of a kernel without dimensions, or one that could not be explored."""
    bad = [run for run in answer.runs if run.verdict is not Verdict.SUCCESSFUL]
    if not bad:
        yield f"{name} {style.good('is legal')} for these arguments, {wording.counted(len(answer.runs), 'phase')}"
        return
    failed = any(run.verdict is Verdict.FAILED for run in bad)
    yield f"{name} {style.bad('fails') if failed else style.warn('is not proved to be legal')}"
    yield from _open(bad, root, width, style)


def _not_proved(derived: Derived, name: str, root: Path, width: int, style: Style) -> Iterator[str]:
    open_runs = [run for run in derived.runs if run.verdict is not Verdict.SUCCESSFUL]
    if derived.bugs and not derived.runs:
        failing = f"fails for {derived.tried - derived.untold} shapes that were tried"
        what = failing if derived.untold else "fails for every shape that was tried"
        more = f"; {derived.untold} more were not decided" if derived.untold else f" ({derived.tried})"
        yield f"{name} {style.bad(what)}{more}"
        return
    if not derived.runs:
        yield f"{name}: {style.warn('no shape was found for which it is legal')} ({derived.tried} tried)"
        return
    conditions = ", ".join(one.text for one in derived.preconditions)
    words = f" where  {conditions}" if conditions else ""
    refuted = any(run.verdict is Verdict.FAILED for run in open_runs)
    verdict = "fails for some shapes" if refuted else "is not proved to be legal"
    head = f"{name} {style.bad(verdict) if refuted else style.warn(verdict)}{words}"
    yield from textwrap.wrap(head, width + (len(head) - len(f"{name} {verdict}{words}")))
    yield from _open(open_runs, root, width, style)


def _open(runs: Sequence[Run], root: Path, width: int, style: Style) -> Iterator[str]:
    """Verdicts that are no success; what stops several phases is said once."""
    from nkiverify.report import diagnostic

    together: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        broken = tuple((one.contract, one.file, one.line) for one in run.violations)
        reason = run.reason if run.place is None else ""
        together.setdefault((run.verdict, run.qualifier, reason, run.place, broken), []).append(run)
    for same in together.values():
        first = same[0]
        # The qualifier of an UNKNOWN is the short form of its reason.
        said = first.verdict.value if first.reason else wording.verdict(first)
        # The advice has a line of its own.
        why = first.reason.replace(f"; {first.advice}", "", 1) if first.advice else first.reason
        reason = f": {wording.text(why, root)}" if why else ""
        yield from _wrapped(f"{wording.phases(sorted(run.phase for run in same))} {said}{reason}", width)
        yield from diagnostic.unknown(first, root, width, style)
        for group in diagnostic.grouped(first.violations):
            yield from diagnostic.violations(group, root, width, style)


def _beyond(
    derived: Derived, root: Path, width: int, style: Style, every: bool, in_kernel: Callable[[str], str]
) -> Iterator[str]:
    """The conditions that the kernel does not check, and what comes of it."""
    from nkiverify.report import diagnostic

    unchecked = [one for one in derived.preconditions if not one.asserted]
    failing = [one for one in unchecked if not one.from_above and not one.bound]
    for one in failing:
        yield from _unchecked(one, root, width, style)
    for one in unchecked:
        # A line is said once, whichever of its ways is dead.
        for dead in {(each.site.file, each.site.line): each for each in reversed(one.dead)}.values():
            yield from _placed(f"{one.text} is no assert to add: {dead.text}", dead.site, root, width, style)
    checkable = [one for one in failing if not one.launch and one.is_offered]
    if checkable and derived.proved:
        lacking = " and ".join(
            f"({one.text})" if " or " in one.text and len(checkable) > 1 else one.text for one in checkable
        )
        yield from _hint(f"assert {in_kernel(lacking)}", "--fix shows where to insert it", width, style)
    for why in dict.fromkeys(one.bound for one in unchecked if one.bound):
        beyond = [one for one in unchecked if one.bound == why]
        words = f"not proved beyond {' and '.join(one.text for one in beyond)}: {wording.text(why, root)}"
        yield from _placed(words, beyond[0].site, root, width, style)
    if derived.proved and derived.preconditions and not unchecked and derived.passing is None:
        checked, more = "the kernel's own asserts enforce this", "there may be more legal shapes"
        yield f"  {checked if derived.enforced else more}"
    if not every:
        return
    seen: set[tuple[str, int]] = set()
    for one in failing:
        violation = one.failure
        if violation is not None and (violation.contract, violation.line) not in seen:
            seen.add((violation.contract, violation.line))
            yield from diagnostic.violations([violation], root, width, style)


def _unchecked(one: Precondition, root: Path, width: int, style: Style) -> Iterator[str]:
    reported = False
    duty = (
        f"the caller must choose a grid such that {one.text}" if one.launch else f"the kernel does not check {one.text}"
    )
    if one.dropped is not None:
        left_out = f"drops {one.dropped.name}{one.dropped.elements}" if one.dropped.elements else "reads no input"
        what = f"{_values(one, one.dropped_at)} is accepted and {left_out}"
        yield from _placed(f"{duty}: {what}", one.dropped.site, root, width, style)
        reported = True
    if one.failure is not None:
        what = f"{_values(one, one.values)} is accepted and {consequence(one.failure)}"
        place = Site(one.failure.file, one.failure.line) if one.failure.file else None
        head = "and: " if reported else f"{duty}: "
        yield from _placed(head + what, place, root, width, style)
        reported = True
    if not reported:
        yield from _wrapped(f"{duty}: no shape beyond it could be run", width)


def consequence(violation: Violation) -> str:
    """The fault, in a few words: `out[128, 0] is never written`."""
    return violation.said or f"fails: {violation.statement.rstrip('.')} ({violation.contract})"


def _hint(text: str, remark: str, width: int, style: Style) -> Iterator[str]:
    """The text to write instead, as it is to be typed."""
    lines = _wrapped(f"help: {text}   ({remark})", width)
    lines[0] = lines[0].replace("help:", style.hint("help:"), 1)
    yield from lines


def _values(one: Precondition, values: dict[str, int]) -> str:
    names = [name for name in one.dimensions if name in values] or list(values)
    return ", ".join(f"{name} = {values[name]}" for name in names)


def _limits(derived: Derived, root: Path, width: int, style: Style) -> Iterator[str]:
    limits = [*(one for one in derived.preconditions if one.from_above and not one.asserted), *derived.limits]
    if not limits:
        return
    reported = []
    # In the order of the lines: which of them was found first may differ from run to run.
    limits.sort(key=lambda one: (one.site.file, one.site.line) if one.site is not None else ("", 0))
    for one in {each.text: each for each in limits}.values():
        where = wording.place(one.site.file, one.site.line, root) if one.site is not None else ""
        reported.append(f"{one.text} ({', '.join(part for part in (one.limit, where) if part)})")
    together = f"  limits: {' · '.join(reported) if style.unicode else '; '.join(reported)}"
    if len(together) <= width:
        yield together
        return
    for number, text in enumerate(reported):
        yield from _wrapped(text if number else f"limits: {text}", width, " " * 10 if number else "  ")


def _necessary(derived: Derived, width: int) -> Iterator[str]:
    if derived.passing is None:
        return
    values = ", ".join(f"{name} = {value}" for name, value in derived.passing.items())
    yield from _wrapped(f"there may be more legal shapes: {values} passes as well", width)


def assumed(answer: DomainAnswer) -> str:
    """The assumptions, as something that can be typed and edited; empty where there are none."""
    parts = [f"--arg {_quoted(one)}" for one in answer.inferred]
    if answer.inferred_grid:
        parts.append(f"--grid {shlex.quote(answer.inferred_grid)}")
    if answer.inferred_hardware:
        parts.append(f"--target {answer.inferred_hardware}")
    return " ".join(parts)


def _assumed(answer: DomainAnswer, root: Path, width: int, style: Style) -> Iterator[str]:
    text = assumed(answer)
    if not text:
        return
    yield from textwrap.wrap(
        f"assumed: {text}",
        width,
        initial_indent="  ",
        subsequent_indent=" " * 11,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if answer.instead is not None:
        one = answer.instead.violation
        words = f"{answer.instead.assumed}, it fails for every shape that was tried: {one.contract}"
        yield from _placed(words, Site(one.file, one.line), root, width, style)


def _quoted(argument: str) -> str:
    name, _, value = argument.partition("=")
    return f"{name}={shlex.quote(value)}"


def _placed(words: str, site: Site | None, root: Path, width: int, style: Style) -> Iterator[str]:
    place = wording.place(site.file, site.line, root) if site is not None and site.file else ""
    line = f"  {words}"
    if place and len(line) + 2 + len(place) <= width:
        yield line + " " * (width - len(line) - len(place)) + style.faint(place)
        return
    yield from _wrapped(f"{words}   {place}" if place else words, width)


def _wrapped(words: str, width: int, indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        words,
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
