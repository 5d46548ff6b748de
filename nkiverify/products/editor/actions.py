"""The changes that an editor offers: an edit that mends a kernel, the asserts that it lacks, to accept a finding."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types as lsp

from nkiverify.foundation.records import KernelAnswer
from nkiverify.products.editor.checks import Checked
from nkiverify.products.editor.editor_findings import SOURCE
from nkiverify.products.editor.file_text import Text
from nkiverify.verify.rule_ids import acceptable

#: The command that looks for a patch of a kernel, given the URI of its file and its name.
REPAIR = "nkiverify.repair"


def actions(
    file: Path, checked: Checked, text: Text, asked: lsp.Range, shown: Iterable[lsp.Diagnostic]
) -> Iterator[lsp.CodeAction]:
    """The changes for a range of a file, and for the diagnostics that are shown there.

    The text is the one that was checked.
    """
    diagnostics = [one for one in shown if one.source == SOURCE]
    failing = any(one.severity is lsp.DiagnosticSeverity.Error for one in diagnostics)
    for answer in checked.results.answers if checked.results is not None else ():
        if (checked.root / answer.file).resolve() == file and _is_asked(answer, text, asked):
            if failing or answer.asserts:
                yield _repair(file, answer, diagnostics)
            if answer.asserts:
                yield from _asserts(file, answer, text)
    for one in diagnostics:
        yield from _acceptance(file, one, text)


def _is_asked(answer: KernelAnswer, text: Text, asked: lsp.Range) -> bool:
    last = text.last_line_of(answer.line)
    return answer.line - 1 <= asked.end.line and asked.start.line < last


def _repair(file: Path, answer: KernelAnswer, about: Sequence[lsp.Diagnostic]) -> lsp.CodeAction:
    """The search for a patch, which takes seconds: it begins when it is chosen."""
    title = f"Look for an edit that mends {answer.kernel}"
    command = lsp.Command(title, REPAIR, arguments=[file.as_uri(), answer.kernel])
    return lsp.CodeAction(title, kind=lsp.CodeActionKind.QuickFix, diagnostics=list(about) or None, command=command)


def changes(before: str, after: str) -> list[lsp.TextEdit]:
    """The edits of whole lines that make one text of another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return [
        lsp.TextEdit(lsp.Range(lsp.Position(start, 0), lsp.Position(end, 0)), "".join(new[first:last]))
        for kind, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if kind != "equal"
    ]


def _asserts(file: Path, answer: KernelAnswer, text: Text) -> Iterator[lsp.CodeAction]:
    indent = text.body_indent_of(answer.line)
    if indent is None:
        return
    lines = "".join(f"{indent}{one}\n" for one in answer.asserts)
    place = lsp.Position(answer.after, 0)
    if answer.after >= len(text.lines):
        # The last line of the file may lack its end.
        lines, place = "\n" + lines.rstrip("\n"), text.end_of(answer.after)
    title = f"Insert what {answer.kernel} does not check: {answer.asserts[0].partition(', f')[0]}"
    more = f" and {len(answer.asserts) - 1} more" if len(answer.asserts) > 1 else ""
    yield _action(file, title + more, place, lines)


def _acceptance(file: Path, shown: lsp.Diagnostic, text: Text) -> Iterator[lsp.CodeAction]:
    """A comment without its reason, which the user has to write: a check refuses it as it is."""
    rule = str(shown.code)
    line = shown.range.end.line + 1
    written = text.lines[line - 1].rstrip() if line <= len(text.lines) else ""
    if rule not in acceptable() or written.endswith("\\") or "#" in written:
        return
    title = f"Accept {rule} here, for a reason that you write"
    yield _action(file, title, text.end_of(line), f"  # nkiverify: ignore[{rule}] ", [shown])


def _action(
    file: Path, title: str, place: lsp.Position, inserted: str, about: Sequence[lsp.Diagnostic] = ()
) -> lsp.CodeAction:
    edit = lsp.TextEdit(lsp.Range(place, place), inserted)
    return lsp.CodeAction(
        title,
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=list(about) or None,
        edit=lsp.WorkspaceEdit(changes={file.as_uri(): [edit]}),
    )
