"""The progress display: on a terminal only, and never more than a display."""

from __future__ import annotations

import io

import pytest

from nkiverify.report.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class VanishedTerminal(Terminal):
    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error")


def drive(stream: io.StringIO) -> None:
    progress = Progress(2, stream)
    progress.started("a")
    progress.started("b")
    progress.finished("a", [])
    progress.close()


def test_a_terminal_sees_one_line_rewritten_and_left_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    drive(stream)
    steps = stream.getvalue().split("\r\x1b[K")
    assert steps == ["", "[0/2] a", "[0/2] a, b", "[1/2] b", ""]


def test_a_line_does_not_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    stream = Terminal()
    Progress(1, stream).started("x" * 100)
    assert stream.getvalue() == "\r\x1b[K" + "[0/1] xxxxxxxxxxxxx"


def test_a_file_sees_nothing() -> None:
    stream = io.StringIO()
    drive(stream)
    assert stream.getvalue() == ""


def test_a_terminal_that_cannot_rewrite_a_line_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    drive(stream)
    assert stream.getvalue() == ""


def test_a_terminal_that_went_away_costs_nothing_but_the_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    drive(VanishedTerminal())
