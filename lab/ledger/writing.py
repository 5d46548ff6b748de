"""Running the subjects on the tool of a checkout, two at a time."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from lab.ledger.lines import Line, lines_of
from lab.ledger.subjects import Subject

#: Subjects that are run at the same time.
WORKERS = 2


def write(subjects: Sequence[Subject], checkout: Path, reported: Callable[[Line], None]) -> None:
    """Run all subjects on the tool of `checkout`; each line is `reported` as it is known."""
    left: queue.SimpleQueue[Subject] = queue.SimpleQueue()
    lock = threading.Lock()
    # Commands about many targets use all cores by themselves: they come first, alone.
    alone = [one for one in subjects if one.targets]
    for one in subjects:
        if not one.targets:
            left.put(one)

    def work() -> None:
        with _Starter(checkout) as starter:
            while True:
                try:
                    subject = left.get_nowait()
                except queue.Empty:
                    return
                for line in starter.answered(subject):
                    with lock:
                        reported(line)

    with _Starter(checkout) as starter:
        for subject in alone:
            for line in starter.answered(subject):
                reported(line)
    threads = [threading.Thread(target=work) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class _Starter:
    """A process of `lab/ledger/starter.py`."""

    def __init__(self, checkout: Path) -> None:
        command = [sys.executable, str(Path(__file__).with_name("starter.py")), str(checkout)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._folder = tempfile.TemporaryDirectory(prefix="nkiverify-ledger-")

    def __enter__(self) -> _Starter:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()

    def answered(self, subject: Subject) -> list[Line]:
        """Run one command."""
        results, output = Path(self._folder.name, "results.json"), Path(self._folder.name, "output")
        results.unlink(missing_ok=True)
        words = [*subject.words, *(("--json", str(results)) if subject.results else ())]
        # The time of a command about many targets is theirs together.
        seconds = subject.seconds * max(1, len(subject.targets))
        asked = {"words": words, "folder": str(subject.folder), "output": str(output), "seconds": seconds}
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process that runs subjects ended at {subject.name}")
        text = output.read_text(encoding="utf-8", errors="replace") if output.exists() else ""
        return list(lines_of(subject, json.loads(answer), results, text))
