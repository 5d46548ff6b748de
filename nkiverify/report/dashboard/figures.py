"""The figures of the dashboard, as specifications for Plotly: plain values of its JSON schema, without colours.

Colours depend on the reader's scheme, light or dark: a trace names its role in `meta`, which the page looks up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nkiverify.report.dashboard.data import Page
from nkiverify.report.dashboard.predecessor import SECONDS
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
    found = [_time(page), _rungs(page), _coverage(page)]
    if len(page.past) > 1:
        found.append(_history(page))
    return [figure for figure in found if figure.rows]


def _time(page: Page) -> Figure:
    """Seconds of each run, beside the predecessor's."""
    order = sorted(page.targets, key=lambda target: sum(run.milliseconds for run in target.runs))
    names = [target.name for target in order]
    traces: list[Json] = []
    rows: list[tuple[str, ...]] = []
    for engine in sorted({run.engine for run in page.runs}):
        points = [run for target in order for run in target.runs if run.engine == engine]
        traces.append(
            _scatter(
                engine,
                [run.target for run in points],
                [run.milliseconds / 1000 or None for run in points],
                [f"phase {run.phase}, {run.verdict.value}" for run in points],
                "embedded" if engine == "embedded" else "other",
            )
        )
        seconds = sorted(run.milliseconds / 1000 for run in points)
        rows.append(_spread(engine, seconds))
    known = [(name, phase, seconds) for name in names for phase, seconds in SECONDS.get(name, {}).items()]
    if known:
        traces.append(
            _scatter(
                "predecessor (another machine)",
                [name for name, _, _ in known],
                [seconds for _, _, seconds in known],
                [f"phase {phase}" for _, phase, _ in known],
                "predecessor",
            )
        )
        rows.append(_spread("predecessor", sorted(seconds for _, _, seconds in known)))
    return Figure(
        "time",
        "Time per run",
        "Each point is a run of a target in a phase, in order of time. The scale is logarithmic.",
        {
            "data": traces,
            "layout": dict(_LAYOUT)
            | {
                "xaxis": {
                    "title": {"text": "targets"},
                    "type": "category",
                    "categoryorder": "array",
                    "categoryarray": names,
                    "showticklabels": False,
                    "showgrid": False,
                },
                "yaxis": {"title": {"text": "seconds"}, "type": "log", "tickformat": "~g", "minexponent": 6},
            },
        },
        ("", "runs", "least s", "median s", "most s", "sum s"),
        tuple(rows) if page.runs else (),
    )


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


def _coverage(page: Page) -> Figure:
    """Contracts that some target refutes, group by group: those are seen to be checked."""
    groups: dict[str, list[bool]] = {}
    for row in page.contracts:
        groups.setdefault(row.contract.id.split(".")[0], []).append(bool(row.refuted_by))
    order = sorted(groups.items(), key=lambda item: (sum(item[1]) / len(item[1]), len(item[1]), item[0]))
    names = [name for name, _ in order]
    traces: list[Json] = [
        {
            "type": "bar",
            "orientation": "h",
            "name": "refuted by a target of this run",
            "meta": "refuted",
            "y": names,
            "x": [sum(found) for _, found in order],
        },
        {
            "type": "bar",
            "orientation": "h",
            "name": "by none",
            "meta": "quiet",
            "y": names,
            "x": [len(found) - sum(found) for _, found in order],
        },
    ]
    return Figure(
        "coverage",
        "Contracts that a target refutes",
        "A contract that some faulty kernel breaks is seen to be checked. The test suite tries the others one by one.",
        {
            "data": traces,
            "layout": dict(_LAYOUT)
            | {
                "barmode": "stack",
                "height": 90 + 18 * max(len(names), 4),
                "xaxis": {"title": {"text": "contracts"}},
                "yaxis": {"automargin": True, "dtick": 1},
            },
        },
        ("group", "contracts", "refuted by a target"),
        tuple((name, str(len(found)), str(sum(found))) for name, found in reversed(order)),
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


def _scatter(name: str, x: Sequence[str], y: Sequence[float | None], hover: Sequence[str], role: str) -> Json:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": _bare(name),
        "meta": role,
        "x": [_bare(one) for one in x],
        "y": [round(value, 6) if value is not None else None for value in y],
        "hovertext": [_bare(one) for one in hover],
    }


def _bare(text: str) -> str:
    """Plotly takes some HTML in texts for markup; names are to be shown as they are."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _spread(name: str, seconds: Sequence[float]) -> tuple[str, ...]:
    numbers = (seconds[0], seconds[len(seconds) // 2], seconds[-1], sum(seconds))
    return (name, str(len(seconds)), *(f"{number:.3f}" for number in numbers))
