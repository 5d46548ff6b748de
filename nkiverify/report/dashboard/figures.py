"""The figures of the dashboard, as specifications for Plotly: plain values of its JSON schema, without colours.

Colours depend on the reader's scheme, light or dark: a trace names its role in `meta`, which the page looks up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from nkiverify.foundation.dataclass import dataclass
from nkiverify.report.dashboard.data import Page
from nkiverify.results.codec import Json

#: The layout that every figure shares.
_LAYOUT: Mapping[str, Json] = {
    "margin": {"l": 60, "r": 12, "t": 8, "b": 48},
    "legend": {"orientation": "h", "traceorder": "normal", "y": 1.02, "yanchor": "bottom", "x": 0},
    "hovermode": "closest",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and what it says: `header` and `rows` are its numbers, for readers who do not see it."""

    id: str
    title: str
    caption: str
    specification: Mapping[str, Json]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def figures(page: Page) -> list[Figure]:
    """Every figure that `page` has the numbers for."""
    # What closes claims is for those who work on nkiverify.
    found = [_rungs(page)] if page.ours else []
    if len(page.past) > 1:
        found.append(_history(page))
    return [figure for figure in found if figure.rows]


def _rungs(page: Page) -> Figure:
    """Claims by the rung that closed them, family by family."""
    counts: dict[str, Counter[str]] = {}
    for run in page.counting:
        counts.setdefault(run.family, Counter()).update(run.closed_by)
    total: Counter[str] = Counter()
    for one in counts.values():
        total.update(one)
    rungs = [rung for rung, _ in total.most_common()]
    families = list(counts)
    traces: list[Json] = [
        {
            "type": "bar",
            "orientation": "h",
            "name": rung,
            "meta": f"rung{number}",
            "y": [_bare(family) for family in reversed(families)],
            "x": [counts[family][rung] for family in reversed(families)],
        }
        for number, rung in enumerate(rungs)
    ]
    return Figure(
        "rungs",
        "Claims by the rung that closed them",
        "A claim is tried by constant folding first, then by the simplifier, then by the solver.",
        {
            "data": traces,
            "layout": dict(_LAYOUT)
            | {
                "barmode": "stack",
                "height": 90 + 24 * max(len(families), 4),
                "xaxis": {"title": {"text": "claims"}},
                "yaxis": {"automargin": True},
            },
        },
        ("family", *rungs),
        tuple((family, *(str(counts[family][rung]) for rung in rungs)) for family in families) if rungs else (),
    )


def _history(page: Page) -> Figure:
    """Time and verdicts of the last invocations."""
    past = page.past[-100:]
    # Invocations follow each other unevenly: numbered, they stay apart.
    numbers: list[Json] = [session.id for session in past]
    hover: list[Json] = [f"{session.started} {session.commit}" for session in past]
    others: list[Json] = [session.runs - session.as_expected for session in past]
    traces: list[Json] = [
        {
            "type": "bar",
            "name": "runs as expected",
            "meta": "pass",
            "x": numbers,
            "y": [session.as_expected for session in past],
            "hovertext": hover,
        },
        {"type": "bar", "name": "other runs", "meta": "mismatch", "x": numbers, "y": others, "hovertext": hover},
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": "seconds",
            "meta": "embedded",
            "x": numbers,
            "y": [session.seconds if not session.cached else None for session in past],
            "yaxis": "y2",
            "hovertext": hover,
        },
    ]
    return Figure(
        "history",
        "History",
        "The last invocations that were recorded, those of a few targets included. Those with verdicts from the cache"
        " have no time.",
        {
            "data": traces,
            "layout": dict(_LAYOUT)
            | {
                "barmode": "stack",
                "margin": {"l": 60, "r": 60, "t": 8, "b": 48},
                "xaxis": {"title": {"text": "invocation"}},
                "yaxis": {"title": {"text": "runs"}},
                "yaxis2": {
                    "title": {"text": "seconds"},
                    "overlaying": "y",
                    "tickmode": "auto",
                    "side": "right",
                    "rangemode": "tozero",
                },
            },
        },
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


def _bare(text: str) -> str:
    """Plotly takes some HTML in texts for markup; names are to be shown as they are."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
