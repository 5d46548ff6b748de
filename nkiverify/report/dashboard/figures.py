"""The figures of the dashboard, about all of its targets: drawings that a template writes, with their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nkiverify.report.dashboard.data import Page
from nkiverify.report.dashboard.pictures import COLOURS, HEIGHT, WIDTH, Bar, Named
from nkiverify.results.history import PastSession

#: Units that a row of a bar chart is high, and wide for its name.
_ROW, _NAME = 20, 150
#: Sessions that the history shows at most.
_SESSIONS = 100
#: The colours of runs as expected and of the others.
_EXPECTED, _OTHER = 2, -1


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars, a line through `points`, and texts: each with its place. `left` is what is free for the texts there."""

    bars: tuple[Bar, ...]
    names: tuple[Named, ...]
    texts: tuple[tuple[float, float, str, str], ...]
    height: float
    left: float = 0
    points: tuple[tuple[float, float, str], ...] = ()
    width: float = WIDTH

    @property
    def line(self) -> str:
        """The points, as SVG has them."""
        return " ".join(f"{x},{y}" for x, y, _ in self.points)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and what it says: `header` and `rows` are its numbers, for readers who do not see it."""

    id: str
    title: str
    caption: str
    chart: Chart
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def figures(page: Page) -> list[Figure]:
    """Every figure that `page` has the numbers for."""
    found = []
    # What closes claims is for those who work on nkiverify.
    if page.ours and any(run.closed_by for run in page.counting):
        found.append(_rungs(page))
    if len(page.past) > 1:
        found.append(_history(page.past[-_SESSIONS:]))
    return found


def _rungs(page: Page) -> Figure:
    """Claims by the rung that closed them, family by family."""
    counts: dict[str, Counter[str]] = {}
    for run in page.counting:
        counts.setdefault(run.family, Counter()).update(run.closed_by)
    total: Counter[str] = Counter()
    for one in counts.values():
        total.update(one)
    rungs = [rung for rung, _ in total.most_common()]
    unit = WIDTH / max(one.total() for one in counts.values())
    return Figure(
        "rungs",
        "Claims by the rung that closed them",
        "A claim is tried by constant folding first, then by the simplifier, then by the solver.",
        Chart(
            bars=tuple(_stacked(counts, rungs, unit)),
            names=tuple(Named(min(at, COLOURS), rung, f"{total[rung]} claims") for at, rung in enumerate(rungs)),
            texts=tuple((-6, (row + 0.7) * _ROW, "end", family) for row, family in enumerate(counts)),
            height=len(counts) * _ROW,
            left=_NAME,
        ),
        ("family", *rungs),
        tuple((family, *(str(counts[family][rung]) for rung in rungs)) for family in counts),
    )


def _stacked(counts: dict[str, Counter[str]], rungs: Sequence[str], unit: float) -> Iterator[Bar]:
    """A row for each family, with a bar for each rung one behind the other."""
    for row, (family, by) in enumerate(counts.items()):
        x = 0.0
        for at, rung in enumerate(rungs):
            width = by[rung] * unit
            if width:
                says = f"{family}: {by[rung]} claims by {rung}"
                yield Bar(round(x, 1), row * _ROW + 2, round(width, 1), _ROW - 4, min(at, COLOURS), says)
            x += width


def _history(past: Sequence[PastSession]) -> Figure:
    """Time and verdicts of the last invocations."""
    timed = [(at, session) for at, session in enumerate(past) if not session.cached]
    longest = max((session.seconds for _, session in timed), default=0.0)
    most = max(session.runs for session in past)
    step = WIDTH / len(past)
    points = tuple(
        (round((at + 0.5) * step, 1), round(HEIGHT * (1 - session.seconds / (longest or 1)), 1), _told(session))
        for at, session in timed
    )
    ends = [(step / 2, f"{past[0].id}"), (WIDTH - step / 2, f"{past[-1].id}")]
    return Figure(
        "history",
        "History",
        "The last invocations that were recorded, those of a few targets included: runs as bars, seconds as a line."
        " Those with verdicts from the cache have no time.",
        Chart(
            bars=tuple(_sessions(past, HEIGHT / (most or 1), step)),
            names=(
                Named(_EXPECTED, "runs as expected", f"at most {max(session.as_expected for session in past)}"),
                Named(_OTHER, "other runs", f"at most {max(map(_others, past))}"),
                Named(0, "seconds", f"at most {longest:.1f}"),
            ),
            texts=(
                *((x, HEIGHT + 14, "middle", number) for x, number in ends),
                (-6, 10, "end", f"{most} runs"),
                (WIDTH + 6, 10, "start", f"{longest:.1f} s"),
            ),
            height=HEIGHT + 20,
            left=_NAME / 2,
            points=points,
        ),
        ("started", "commit", "runs", "cached", "as expected", "seconds"),
        tuple(
            (
                session.started,
                session.commit,
                str(session.runs),
                str(session.cached),
                str(session.as_expected),
                f"{session.seconds:.1f}",
            )
            for session in reversed(past)
        ),
    )


def _sessions(past: Sequence[PastSession], unit: float, step: float) -> Iterator[Bar]:
    """A bar for each session: its runs as expected, the others above."""
    for at, session in enumerate(past):
        top = float(HEIGHT)
        for colour, runs in ((_EXPECTED, session.as_expected), (_OTHER, _others(session))):
            height = runs * unit
            top -= height
            if height:
                x, width = round((at + 0.1) * step, 1), round(0.8 * step, 1)
                yield Bar(x, round(top, 1), width, round(height, 1), colour, _told(session))


def _others(session: PastSession) -> int:
    return session.runs - session.as_expected


def _told(session: PastSession) -> str:
    runs = f"{session.as_expected} of {session.runs} as expected"
    time = "from the cache" if session.cached else f"{session.seconds:.1f} s"
    return f"{session.id}, {session.started} {session.commit}: {runs}, {time}"
