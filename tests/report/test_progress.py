"""The progress display: on a terminal only, and never more than a display."""

from __future__ import annotations

import io

import pytest

from nkiverify.report.progress import Progress, duration


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


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_terminal_sees_the_rate_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream, clock = Terminal(), Clock()
    progress = Progress(100, stream, clock)
    for number in range(4):
        progress.started(f"t{number}")
        clock.now += 0.5
        progress.finished(f"t{number}", [])
    assert stream.getvalue().split("\r\x1b[K")[-1] == "[4/100] 2/s, 48 s left "


def test_a_log_sees_a_line_a_minute() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = Progress(1000, stream, clock)
    for number in range(241):
        progress.started(f"t{number}")
        clock.now += 0.5
        progress.finished(f"t{number}", [])
    progress.waiting()
    progress.close()
    assert stream.getvalue().splitlines() == [
        "nkiverify: [120/1000] 2/s, 7 min 20 s left 0 running",
        "nkiverify: [240/1000] 2/s, 6 min 20 s left 0 running",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.4, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (3600, "1 h 0 min"), (90_000, "1 d 1 h")],
)
def test_durations_have_two_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text
