"""The findings of a check as diagnostics of an editor, and as lines above its kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types as lsp

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import KernelAnswer, KernelWarning, Run, Verdict, Violation
from nkiverify.foundation.source import Site
from nkiverify.model.documentation import link
from nkiverify.products.editor.checks import Checked
from nkiverify.products.editor.file_text import Text
from nkiverify.results import wording
from nkiverify.results.session import telling, warned

#: What diagnostics say who they are from.
SOURCE = "nkiverify"

#: How an open verdict is shown.
_OPEN = {
    Verdict.UNKNOWN: lsp.DiagnosticSeverity.Warning,
    Verdict.VACUOUS: lsp.DiagnosticSeverity.Information,
    Verdict.ERROR: lsp.DiagnosticSeverity.Warning,
}


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Makes the diagnostics of `file`; `text_of` gives the text of this and other files as the editor has it."""

    file: Path
    checked: Checked
    text_of: Callable[[Path], Text]

    def made(self) -> list[lsp.Diagnostic]:
        """Everything that was found in the file, each once."""
        found = [*self._complaint(), *self._violations(), *self._open(), *self._warnings(), *self._language()]
        return list({(str(one.range), one.code, one.message): one for one in found}.values())

    def _complaint(self) -> Iterator[lsp.Diagnostic]:
        complaint = self.checked.complaint
        if complaint is not None:
            site = Site(str(self.file), max(1, complaint.line))
            yield self._diagnostic(site, "not-checked", complaint.said, lsp.DiagnosticSeverity.Warning)

    def _runs(self) -> list[Run]:
        return telling(self.checked.results.runs) if self.checked.results is not None else []

    def _answers(self) -> Sequence[KernelAnswer]:
        return self.checked.results.answers if self.checked.results is not None else ()

    def _violations(self) -> Iterator[lsp.Diagnostic]:
        for run in self._runs():
            for one in run.violations:
                place, calls = self._here(one, run)
                if place is None:
                    continue
                said = one.said or wording.text(one.message, self.checked.root)
                values = ", ".join(f"{name} = {value}" for name, value in one.witness.items())
                how = "" if one.replayed else " (not reproduced by running the kernel)"
                message = f"{said}{f', for {values}' if values else ''}{how}\n{one.statement}"
                shown = self._diagnostic(
                    place, one.contract, message, lsp.DiagnosticSeverity.Error, [*_places(one), *calls]
                )
                page = link(one.source)
                shown.code_description = lsp.CodeDescription(page) if page else None
                yield shown

    def _open(self) -> Iterator[lsp.Diagnostic]:
        """Verdicts that are no conclusion, or no proof, at the place where they arise, else at the kernel's `def`."""
        for run in self._runs():
            if (run.verdict not in _OPEN and not run.lacks_proof) or run.violations:
                continue
            lines = [one.line for one in self._answers() if one.kernel == run.kernel.partition("::")[2]]
            place = run.place if run.place is not None and self._is_here(run.place.file) else None
            reason = wording.text(run.reason or run.qualifier, self.checked.root)
            advice = f"\n{run.advice}" if run.advice else ""
            yield self._diagnostic(
                place or Site(str(self.file), max([1, *lines[:1]])),
                run.verdict.value,
                f"phase {run.phase} {wording.ending(run)}: {reason}{advice}",
                _OPEN.get(run.verdict, lsp.DiagnosticSeverity.Warning),
            )

    def _warnings(self) -> Iterator[lsp.Diagnostic]:
        for run, one in warned(self.checked.results.runs if self.checked.results is not None else ()):
            place, calls = self._here(one, run)
            if place is None:
                continue
            message = f"{wording.text(one.message, self.checked.root)} ({wording.extent_of(one)})\n{one.statement}"
            unused = [lsp.DiagnosticTag.Unnecessary] if one.rule.startswith("df.un") else []
            yield self._diagnostic(
                place, one.rule, message, lsp.DiagnosticSeverity.Warning, [*_places(one), *calls], unused
            )

    def _language(self) -> Iterator[lsp.Diagnostic]:
        for one in (remark for answer in self._answers() for remark in answer.language):
            if self._is_here(one.file):
                tags = [lsp.DiagnosticTag.Deprecated] if one.rule == "lang.deprecated" else []
                site = Site(one.file, one.line, one.column)
                yield self._diagnostic(site, one.rule, one.message, lsp.DiagnosticSeverity.Warning, tags=tags)

    # --- places -------------------------------------------------------------------------------------------------------

    def _is_here(self, file: str) -> bool:
        return (self.checked.root / file).resolve() == self.file

    def _here(self, found: Violation | KernelWarning, run: Run) -> tuple[Site | None, list[tuple[Site, str]]]:
        """The place of a finding in this file: its own, or of the innermost call that led to it, which then comes with
        the place of the finding; None where it is about other files alone. What has no line is at the kernel's."""
        if not found.file or found.line <= 0:
            lines = [one.line for one in self._answers() if one.kernel == run.kernel.partition("::")[2]]
            return Site(str(self.file), max([1, *lines[:1]])), []
        place = Site(found.file, found.line, found.column, found.end_line, found.end_column, found.function)
        if self._is_here(found.file):
            return place, []
        call = next((one for one in reversed(found.calls) if self._is_here(one.file)), None)
        return call, [(place, "it happens here")]

    def _diagnostic(
        self,
        site: Site,
        code: str,
        message: str,
        severity: lsp.DiagnosticSeverity,
        related: Sequence[tuple[Site, str]] = (),
        tags: list[lsp.DiagnosticTag] | None = None,
    ) -> lsp.Diagnostic:
        return lsp.Diagnostic(
            range=self.text_of(self.file).range_of(site),
            message=message,
            severity=severity,
            code=code,
            source=SOURCE,
            tags=tags or None,
            related_information=[self._related(place, words) for place, words in related] or None,
        )

    def _related(self, site: Site, words: str) -> lsp.DiagnosticRelatedInformation:
        file = (self.checked.root / site.file).resolve()
        return lsp.DiagnosticRelatedInformation(lsp.Location(file.as_uri(), self.text_of(file).range_of(site)), words)


def _places(found: Violation | KernelWarning) -> Iterator[tuple[Site, str]]:
    """The other places that a finding is about, with what is there."""
    if isinstance(found, Violation):
        yield from ((label.site, label.text) for label in found.labels)
    else:
        yield from ((site, "what is done here serves nothing else") for site in found.also)
    yield from ((call, f"called here, in {call.function or 'the kernel'}") for call in found.calls)
    yield from ((Site(loop.file, loop.line), f"in this loop, for {loop.value}") for loop in found.loops)


def lenses(file: Path, checked: Checked, text: Text) -> list[lsp.CodeLens]:
    """A line above each kernel: for which shapes it is legal."""
    # A command of no name is shown, and does nothing.
    return [
        lsp.CodeLens(text.range_of(Site(str(file), answer.line)), lsp.Command(_title(answer), ""))
        for answer in _answers_of(file, checked)
    ]


def _answers_of(file: Path, checked: Checked) -> Iterator[KernelAnswer]:
    for answer in checked.results.answers if checked.results is not None else ():
        if answer.line > 0 and (checked.root / answer.file).resolve() == file:
            yield answer


def _title(answer: KernelAnswer) -> str:
    return f"{'✓' if answer.legal and not answer.asserts else '!'} {answer.said}"


def hints(file: Path, checked: Checked, text: Text, lensed: bool) -> list[lsp.InlayHint]:
    """The arguments that a check has inferred, besides the parameters of the kernels of `file`: what the dimensions in
    their domains are. Behind its `def` the domain of each, where it is not `lensed`, said in a line above it."""
    found = []
    for answer in _answers_of(file, checked):
        ends = text.parameters_of(answer.line)
        for name, _, value in (one.partition("=") for one in answer.assumed):
            if name in ends:
                found.append(lsp.InlayHint(ends[name], value, lsp.InlayHintKind.Type, padding_left=True))
        if not lensed:
            found.append(lsp.InlayHint(text.end_of(answer.line), _title(answer), padding_left=True))
    return found
