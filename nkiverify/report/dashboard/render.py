"""The dashboard as one HTML page: everything it needs is in it, and whatever it shows is escaped."""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import json
import multiprocessing
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from importlib import resources as package_files
from pathlib import Path

import jinja2
from markupsafe import Markup

from nkiverify.foundation import resources
from nkiverify.foundation.records import KernelWarning, Violation
from nkiverify.foundation.source import Site
from nkiverify.model.documentation import places
from nkiverify.report import diagnostic
from nkiverify.report.dashboard import data, markdown, pictures
from nkiverify.report.dashboard.data import Page
from nkiverify.report.dashboard.figures import Figure, figures
from nkiverify.report.dashboard.marks import claim_rows
from nkiverify.report.dashboard.sources import coloured
from nkiverify.report.dashboard.upstream import REPOSITORY
from nkiverify.report.excerpt import excerpt as place_lines
from nkiverify.results import wording

#: What stands before a verdict, for those who cannot tell the colours apart.
_SYMBOLS: Mapping[str, str] = {
    "pass": "✓",
    "refuted": "✗",
    "bounded": "≤",
    "unknown": "?",
    "mismatch": "✗✗",
    "error": "!",
    "open": "-",
}

#: What stands before a line of source.
_MARKS: Mapping[str, str] = {
    "refuted": "✗",
    "unknown": "?",
    "warned": "!",
    "unrolled": "≤",
    "assumed": "▸",
    "proved": "✓",
}

_LEGEND: tuple[tuple[str, str], ...] = (
    ("pass", "proved, as expected"),
    ("bounded", "proved up to a bound"),
    ("refuted", "refuted, as expected"),
    ("unknown", "no conclusion"),
    ("mismatch", "not as expected"),
    ("error", "a fault of nkiverify"),
    ("open", "left open by an engine that is asked beside"),
)

#: Name and whether it is a number, for each column of the table of runs.
_HEADERS: tuple[tuple[str, bool], ...] = (
    ("target", False),
    ("family", False),
    ("kind", False),
    ("ph", True),
    ("engine", False),
    ("expected", False),
    ("verdict", False),
    ("claims", True),
    ("ms", True),
)

#: The parts of AUDIT.md that say what is not verified.
_LIMITS: tuple[str, ...] = ("What SUCCESSFUL does not say", "What the frontend assumes")


#: The ids of the sections with all contracts and with what is refuted as expected; those of targets begin with
#: `target-`.
_CONTRACTS, _EXPECTED = "all-contracts", "all-expected"

#: How many targets a page has whose figures are plotted: of fewer, the numbers say as much without a large library.
_PLOTTED = 20

#: Characters in a line of an excerpt.
_WIDTH = 120


def html(page: Page) -> str:
    """The page as text. What it tells of upstream's kernels and of limits is about the bundled targets."""
    drawn = figures(page)
    plotted = len(page.targets) >= _PLOTTED
    environment = _environment()
    style, script = _part("dashboard.css"), _part("dashboard.js")
    with _another_process() as other:
        # What takes as long as the rest, and needs nothing of it.
        library = other.submit(_plotly) if plotted else None
        colours = other.submit(_coloured, {*page.sources.values(), *(target.code for target in page.targets)})
        html_of = sections(page)
        content = json.dumps(_data(page, drawn, html_of, colours.result()), separators=(",", ":"))
        plotly = library.result() if library is not None else ""
    packed = _packed(content.encode("ascii"))
    audit = _document(page.root / "AUDIT.md") if page.ours else ""
    upstream = (_document(page.root / "docs" / "upstream-bugs.md") if page.ours else "").partition("\n## ")
    text = environment.get_template("dashboard.html").render(
        page=page,
        anchors={target.name: target.anchor for target in page.targets},
        symbols=_SYMBOLS,
        legend=_LEGEND,
        repository=REPOSITORY,
        headers=_HEADERS,
        plotted=plotted,
        filters=_filters(page),
        figures=drawn,
        upstream=markdown.html(upstream[1].lstrip() + upstream[2], "docs", 2) if upstream[1] else "",
        limits=[
            (heading, markdown.html(text, "", 4)) for heading in _LIMITS if (text := markdown.section(audit, heading))
        ],
        # Only characters of base 64.
        data=Markup(packed),
        plotly=Markup(plotly),
        style=Markup(style),
        script=Markup(script),
        # Only our own script has it: a `<script>` in a name would not run even if it were not escaped.
        nonce=hashlib.sha256((packed + script).encode("ascii")).hexdigest()[:32],
    )
    # A name that is no valid Unicode cannot be written.
    return text.encode("utf-8", "replace").decode("utf-8")


def sections(page: Page) -> dict[str, str]:
    """The section of each target as HTML, by its id, and that of all contracts: a lot of text, which is packed."""
    environment = _environment()
    template = environment.get_template("target.html")
    found = {target.anchor: template.render(page=page, target=target, symbols=_SYMBOLS) for target in page.targets}
    anchors = {target.name: target.anchor for target in page.targets}
    return found | {
        _CONTRACTS: environment.get_template("contracts.html").render(page=page, symbols=_SYMBOLS),
        _EXPECTED: environment.get_template("expected.html").render(page=page, symbols=_SYMBOLS, anchors=anchors),
    }


@functools.cache
def _environment() -> jinja2.Environment:
    """Jinja with our filters, and the templates that it has compiled. Every template is given its `page`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates()),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(
        state=data.state,
        verdict=wording.verdict,
        milliseconds=wording.milliseconds,
        phase_name=data.phase_name,
        excerpt=_excerpt,
        occupancy=pictures.occupancy,
        coverage=pictures.coverage,
        curves=pictures.curves,
        labels_elsewhere=diagnostic.labels_elsewhere,
        help_for=_help_for,
        first_element=wording.first_element,
        extent_of=wording.extent_of,
        claim_rows=claim_rows,
        prose=markdown.inline,
        places=places,
    )
    return environment


@jinja2.pass_context
def _excerpt(context: jinja2.runtime.Context, found: Violation | KernelWarning | Site) -> str:
    """The lines of a place, where it is in a file of the page."""
    page: Page = context["page"]
    if found.file not in page.sources:
        return ""
    if isinstance(found, Site):
        return "\n".join(place_lines(replace(found, file=str(page.root / found.file)), indent="", width=_WIDTH))
    return "\n".join(diagnostic.source(found, page.root, width=_WIDTH))


@jinja2.pass_context
def _help_for(context: jinja2.runtime.Context, found: Violation) -> str:
    return diagnostic.help_for(found, context["page"].root)


def _data(
    page: Page, drawn: list[Figure], html_of: Mapping[str, str], colours: Mapping[str, list[str]]
) -> dict[str, object]:
    """The data that the script of the page shows when it is asked for."""
    return {
        "sources": {file: colours[text] for file, text in page.sources.items()},
        "symbols": _MARKS,
        "figures": {figure.id: figure.specification for figure in drawn if len(page.targets) >= _PLOTTED},
        "targets": {
            target.anchor: {
                "html": html_of[target.anchor],
                "file": target.file,
                "function": target.function,
                "code": colours[target.code],
                "code_place": target.code_place,
                "harness": target.harness,
                "code_line": target.code_line,
                "lowered": target.lowered,
                "marks": {
                    file: {line: [mark.kind, mark.words] for line, mark in lines.items()}
                    for file, lines in target.marks.items()
                },
            }
            for target in page.targets
        }
        | {name: {"html": html_of[name]} for name in (_CONTRACTS, _EXPECTED)},
    }


def _filters(page: Page) -> list[tuple[str, list[str]]]:
    """The values that the table of runs can be filtered by; a filter with one value is none."""
    candidates = [
        ("family", [row.family for row in page.matrix]),
        ("kind", sorted({target.kind for target in page.targets})),
        ("phase", sorted({str(run.phase) for run in page.runs})),
        ("verdict", [verdict for verdict, _ in page.verdicts]),
        ("tag", sorted({tag for run in page.runs for tag in run.tags})),
    ]
    # The matrix sets the filter by family.
    return [(name, values) for name, values in candidates if len(values) > 1 or name == "family"]


def _packed(content: bytes) -> str:
    """Compressed, in base 64, of which no character means anything in HTML. The same content gives the same text."""
    return base64.b64encode(gzip.compress(content, compresslevel=6, mtime=0)).decode("ascii")


def _another_process() -> Executor:
    """A process that works beside this one, where that costs little to start; elsewhere a thread."""
    if sys.platform == "linux":
        return ProcessPoolExecutor(1, multiprocessing.get_context("fork"))
    return ThreadPoolExecutor(1)


def _coloured(texts: Iterable[str]) -> dict[str, list[str]]:
    return {text: coloured(text) for text in texts}


def _plotly() -> str:
    return _packed((package_files.files("plotly") / "package_data" / "plotly.min.js").read_bytes())


def _part(name: str) -> str:
    return (resources.templates() / name).read_text(encoding="utf-8")


def _document(path: Path) -> str:
    """A document of the repository; empty where there is none, as in an installed wheel."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
