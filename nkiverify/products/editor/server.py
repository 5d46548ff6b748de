"""The language server on stdio: what editors send, and what they get."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec

from nkiverify import __version__
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.resources import cache_folder
from nkiverify.products.editor import actions, editor_findings, hovers
from nkiverify.products.editor.checks import Checked, Checks
from nkiverify.products.editor.editor_findings import Diagnostics
from nkiverify.products.editor.file_text import Text


@dataclass(slots=True)
class _File:
    """The facts about a file that is open: what its last check found, and whether it has been edited since."""

    checked: Checked
    shown: list[lsp.Diagnostic]
    edited: bool = False


@dataclass(slots=True)
class _Server:
    """Answers what an editor asks. `words` are options of `check`; `remembers`: results are kept between sessions."""

    language: LanguageServer
    words: Sequence[str]
    remembers: bool
    checks: Checks | None = None
    files: dict[str, _File] = field(default_factory=dict)

    def begin(self) -> None:
        """The editor has said which folder is open."""
        folder = self.language.workspace.root_path
        root = Path(folder).resolve() if folder else Path.cwd()
        caches = cache_folder() if self.remembers else None
        self.checks = Checks(root, self.words, caches / "checked.db" if caches is not None else None)
        self.checks.start_ahead()

    async def end(self) -> None:
        """The editor ends the session."""
        if self.checks is not None:
            await self.checks.end()

    async def look(self, uri: str, opened: bool) -> None:
        """Show what a check of a file finds: at once what is remembered of it."""
        file = _path(uri)
        if file is None or self.checks is None:
            return
        known = self.checks.remembered(file)
        if known is not None:
            self._show(uri, file, known)
            if known.is_final:
                self._log(f"nothing that {file.name} depends on has changed since it was checked")
                return
        elif not opened and uri in self.files:
            self.files[uri].edited = True
        try:
            self._show(uri, file, await self.checks.check(file))
        except asyncio.CancelledError:
            self._log(f"the check of {file.name} was ended: its text is being changed")

    def edited(self, uri: str) -> None:
        """The text is not what was checked any more, nor what is being checked."""
        file = _path(uri)
        if uri in self.files:
            self.files[uri].edited = True
        if file is not None and self.checks is not None:
            self.checks.cancel(file)

    def closed(self, uri: str) -> None:
        """Nobody looks at the file any more."""
        self.edited(uri)
        self.files.pop(uri, None)
        self.language.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def hover(self, uri: str, position: lsp.Position) -> lsp.Hover | None:
        """The text about what the cursor is on."""
        file, known = _path(uri), self.files.get(uri)
        if file is None:
            return None
        text = self._text(file)
        word = text.word_at(position)
        shown = known.shown if known is not None else []
        rules = [word, *(str(one.code) for one in shown if _covers(one.range, position))]
        parts = [hovers.rule(id) for id in dict.fromkeys(rules) if "." in id]
        if known is not None and "." not in word:
            parts.insert(0, hovers.tile(word, file, text.functions_at(position.line + 1), known.checked))
        reported = "\n\n---\n\n".join(filter(None, parts))
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, reported)) if reported else None

    def lenses(self, uri: str) -> list[lsp.CodeLens]:
        """The lines above the kernels of a file."""
        file, known = _path(uri), self.files.get(uri)
        if file is None or known is None or known.edited:
            return []
        return editor_findings.lenses(file, known.checked, self._text(file))

    def hints(self, uri: str, asked: lsp.Range) -> list[lsp.InlayHint]:
        """The hints within the lines of a range: what is inferred of arguments, and the domains of kernels where the
        editor has no lines above them."""
        file, known = _path(uri), self.files.get(uri)
        if file is None or known is None or known.edited:
            return []
        about = self.language.client_capabilities.text_document
        lensed = about is not None and about.code_lens is not None
        found = editor_findings.hints(file, known.checked, self._text(file), lensed)
        return [one for one in found if asked.start.line <= one.position.line <= asked.end.line]

    def actions(self, uri: str, asked: lsp.Range, shown: Sequence[lsp.Diagnostic]) -> list[lsp.CodeAction]:
        """The changes that are offered for a range; none where lines may have moved since the check."""
        file, known = _path(uri), self.files.get(uri)
        if file is None or known is None or known.edited:
            return []
        return list(actions.actions(file, known.checked, self._text(file), asked, shown))

    async def repair(self, uri: str, kernel: str) -> None:
        """Change a kernel by the first patch that mends it, unless its file is edited meanwhile."""
        file, known = _path(uri), self.files.get(uri)
        if file is None or self.checks is None or known is None or known.edited:
            self._tell("save the file first: patches are of what was checked")
            return
        before = file.read_text(encoding="utf-8")
        after, kind = await self.checks.repaired(file, kernel)
        if known.edited or self.files.get(uri) is not known:
            self._tell(f"{file.name} was edited meanwhile: no patch is applied")
        elif not after:
            self._tell(f"no patch to apply to {kernel}: nkiverify repair says more")
        else:
            edit = lsp.WorkspaceEdit(changes={uri: actions.changes(before, after)})
            label = f"Mend {kernel}: {kind}"
            await self.language.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit, label))

    def _tell(self, message: str) -> None:
        self.language.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, f"nkiverify: {message}"))

    def _show(self, uri: str, file: Path, checked: Checked) -> None:
        shown = Diagnostics(file, checked, self._text).made()
        self.files[uri] = _File(checked, shown)
        self.language.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, shown))
        about = self.language.client_capabilities.workspace
        if about is not None and about.code_lens is not None and about.code_lens.refresh_support:
            self.language.workspace_code_lens_refresh(None)
        if about is not None and about.inlay_hint is not None and about.inlay_hint.refresh_support:
            self.language.workspace_inlay_hint_refresh(None)

    def _text(self, file: Path) -> Text:
        workspace = self.language.workspace
        lines: Sequence[str] = ()
        try:
            lines = workspace.get_text_document(file.as_uri()).lines
        except (OSError, UnicodeError):
            self._log(f"{file} cannot be read: places in it are shown without their columns")
        return Text(lines, workspace.position_codec or PositionCodec())

    def _log(self, message: str) -> None:
        self.language.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, f"nkiverify: {message}"))


def serve(words: Sequence[str], remembers: bool) -> None:
    """Serve one editor on stdin and stdout until it ends the session."""
    language = LanguageServer("nkiverify", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental)
    server = _Server(language, words, remembers)
    _listen_to_files(language, server)
    _answer(language, server)
    _mend(language, server)
    language.start_io()


def _listen_to_files(language: LanguageServer, server: _Server) -> None:
    @language.feature(lsp.INITIALIZED)
    async def initialized(_params: lsp.InitializedParams) -> None:
        server.begin()

    @language.feature(lsp.SHUTDOWN)
    async def ended(_params: None) -> None:
        await server.end()

    @language.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        await server.look(params.text_document.uri, opened=True)

    @language.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        await server.look(params.text_document.uri, opened=False)

    @language.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.edited(params.text_document.uri)

    @language.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)


def _answer(language: LanguageServer, server: _Server) -> None:
    @language.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return server.hover(params.text_document.uri, params.position)

    @language.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        return server.lenses(params.text_document.uri)

    @language.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        return server.hints(params.text_document.uri, params.range)

    @language.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    def offered(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        return server.actions(params.text_document.uri, params.range, params.context.diagnostics)


def _mend(language: LanguageServer, server: _Server) -> None:
    @language.command(actions.REPAIR)
    async def mend(uri: str, kernel: str) -> None:
        await server.repair(uri, kernel)


def _path(uri: str) -> Path | None:
    """The Python file that a URI names, if it is one on this machine."""
    named = to_fs_path(uri)
    path = Path(named).resolve() if named else None
    return path if path is not None and path.suffix == ".py" and path.is_file() else None


def _covers(range: lsp.Range, position: lsp.Position) -> bool:
    at = (position.line, position.character)
    return (range.start.line, range.start.character) <= at <= (range.end.line, range.end.character)
