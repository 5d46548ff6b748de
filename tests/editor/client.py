"""A scripted editor: it starts the language server, and speaks the protocol with it over stdio."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.clocks import HANGS

Message = dict[str, Any]

#: Seconds after which the server is taken to be silent.
DEADLINE = float(HANGS)


class Editor:
    """An editor with one folder open."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._inbox: queue.Queue[Message] = queue.Queue()
        self._number = 0
        self.logged: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def notify(self, method: str, params: Message) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Message | None) -> Any:
        """The result of a request."""
        number = self.begin(method, params)
        answer = self.wait(lambda one: one.get("id") == number and "method" not in one)
        assert "error" not in answer, answer
        return answer["result"]

    def begin(self, method: str, params: Message | None) -> int:
        """Ask, without waiting for the result; the number that it will have."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self._number

    def open(self, file: Path) -> None:
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": file.read_text()}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def save(self, file: Path, text: str) -> None:
        """Replace the text, and save it."""
        self.change(file, text)
        file.write_text(text)
        self.notify("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})

    def change(self, file: Path, text: str) -> None:
        changed = {"uri": file.as_uri(), "version": 2}
        self.notify("textDocument/didChange", {"textDocument": changed, "contentChanges": [{"text": text}]})

    def diagnostics(self, file: Path) -> list[Message]:
        """The next diagnostics of a file."""
        sent = self.wait(
            lambda one: one.get("method") == "textDocument/publishDiagnostics" and one["params"]["uri"] == file.as_uri()
        )
        found: list[Message] = sent["params"]["diagnostics"]
        return found

    def wait(self, wanted: Callable[[Message], bool]) -> Message:
        """The next message of a kind; what comes before it is passed over."""
        while True:
            message = self._inbox.get(timeout=DEADLINE)
            if message.get("method") == "window/logMessage":
                self.logged.append(message["params"]["message"])
            if "id" in message and "method" in message:
                edited = message["method"] == "workspace/applyEdit"
                self._send({"id": message["id"], "result": {"applied": True} if edited else None})
            if wanted(message):
                return message

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                header = stream.readline()
            self._inbox.put(json.loads(stream.read(length)))


@contextmanager
def editor(folder: Path, cache: Path, *words: str) -> Iterator[Editor]:
    """An editor in `folder`, whose server keeps results in `cache`; it ends as the protocol says."""
    command = [sys.executable, "-m", "nkiverify", "lsp", *words]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
    )
    found = Editor(process)
    capabilities = {"workspace": {"codeLens": {"refreshSupport": True}}}
    root = folder.as_uri()
    try:
        found.ask("initialize", {"processId": os.getpid(), "rootUri": root, "capabilities": capabilities})
        found.notify("initialized", {})
        yield found
        found.ask("shutdown", None)
        found.notify("exit", {})
        assert process.wait(DEADLINE) == 0
    finally:
        process.kill()
        process.wait()
