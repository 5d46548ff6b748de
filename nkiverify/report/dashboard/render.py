"""The dashboard as one HTML page: everything it needs is in it, and whatever it shows is escaped."""

from __future__ import annotations

import base64
import contextlib
import functools
import gzip
import hashlib
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from importlib import resources as package_files
from itertools import chain
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from nkiverify.foundation import resources
from nkiverify.foundation.records import KernelWarning, Run, Violation
from nkiverify.foundation.source import Site
from nkiverify.model.documentation import places
from nkiverify.report import diagnostic
from nkiverify.report.dashboard import costs, data, pictures, rendered_markdown
from nkiverify.report.dashboard.data import Page
from nkiverify.report.dashboard.figures import Figure, figures
from nkiverify.report.dashboard.marks import claim_rows
from nkiverify.report.dashboard.repository_files import Colours
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
    ("open", "left open by the other engine"),
)

#: What stands after a verdict, of what the other engine says.
_OTHERS: Mapping[str, tuple[str, str]] = {
    "agrees": ("=", "the other engine agrees"),
    "disagrees": ("≠", "the other engine disagrees"),
    "open": ("~", "the other engine leaves it open"),
}

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

#: The part of docs/engines.md that says what builds of ESBMC get wrong.
_ESBMC = "What ESBMC gets wrong, and what is done about it"

#: The ids of the sections with all contracts and with what is refuted as expected; those of targets begin with
#: `target-`.
_CONTRACTS, _EXPECTED = "all-contracts", "all-expected"

#: How many targets a page has whose figures are plotted: of fewer, the numbers say as much without a large library.
_PLOTTED = 20

#: How many sections of targets are made at once.
_PART = 8

#: Characters in a line of an excerpt.
_WIDTH = 120


def html(page: Page, remembered: Path | None = None) -> str:
    """The page as text. What it tells of upstream's kernels and of limits is about the bundled targets. `remembered` is
    the database in which colours of sources are kept from one page to the next, if they are."""
    drawn = figures(page)
    plotted = len(page.targets) >= _PLOTTED
    environment = _environment()
    style, script = _part("dashboard.css"), _part("dashboard.js")
    with another_process(page) as other:
        # What needs nothing of the rest, and some of the rest.
        library = other.submit(_plotly) if plotted else None
        colours = other.submit(_coloured, remembered)
        html_of = sections(page, other)
        content = json.dumps(_data(page, drawn, html_of, colours.result()), separators=(",", ":"))
        plotly = library.result() if library is not None else ""
    packed = _packed(content.encode("ascii"))
    audit = _document(page.root / "AUDIT.md") if page.ours else ""
    engines = _document(page.root / "docs" / "engines.md") if page.ours else ""
    upstream = (_document(page.root / "docs" / "upstream-bugs.md") if page.ours else "").partition("\n## ")
    text = environment.get_template("dashboard.html").render(
        page=page,
        anchors={target.name: target.anchor for target in page.targets},
        symbols=_SYMBOLS,
        legend=_LEGEND,
        others=_OTHERS,
        repository=REPOSITORY,
        headers=_HEADERS,
        plotted=plotted,
        filters=_filters(page),
        figures=drawn,
        esbmc=rendered_markdown.html(rendered_markdown.section(engines, _ESBMC), "docs", 4),
        upstream=rendered_markdown.html(upstream[1].lstrip() + upstream[2], "docs", 2) if upstream[1] else "",
        limits=[
            (heading, rendered_markdown.html(text, "", 4))
            for heading in _LIMITS
            if (text := rendered_markdown.section(audit, heading))
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


def sections(page: Page, other: Executor) -> dict[str, str]:
    """The section of each target as HTML, by its id, and that of all contracts: a lot of text, which is packed. Those
    of the last targets are made by the `other` process, as many as it has the time for."""
    environment = _environment()
    parts = [range(first, min(first + _PART, len(page.targets))) for first in range(0, len(page.targets), _PART)]
    asked = [other.submit(_targets, part) for part in reversed(parts)]
    anchors = {target.name: target.anchor for target in page.targets}
    found = {
        _CONTRACTS: environment.get_template("contracts.html").render(page=page, symbols=_SYMBOLS),
        _EXPECTED: environment.get_template("expected.html").render(page=page, symbols=_SYMBOLS, anchors=anchors),
    }
    made = [_targets(part) if one.cancel() else one.result() for part, one in zip(parts, reversed(asked), strict=True)]
    return {target.anchor: text for target, text in zip(page.targets, chain(*made), strict=True)} | found


def _targets(part: range) -> list[str]:
    """The sections of some targets of the page that is being made."""
    template = _environment().get_template("target.html")
    page = _made[-1]
    return [template.render(page=page, target=page.targets[at], symbols=_SYMBOLS) for at in part]


@functools.cache
def _environment() -> jinja2.Environment:
    """Jinja with our filters, and the templates that it has compiled. Every template is given its `page`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates()),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        bytecode_cache=_byte_code(),
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
        roofline=costs.roofline,
        megabytes=costs.megabytes,
        duration=costs.duration,
        labels_elsewhere=diagnostic.labels_elsewhere,
        help_for=_help_for,
        first_element=wording.first_element,
        extent_of=wording.extent_of,
        claims=_claims,
        causes=data.causes,
        breakable=_breakable,
        prose=rendered_markdown.inline,
        places=places,
    )
    return environment


def _byte_code() -> jinja2.BytecodeCache | None:
    """Where compiled templates are kept: next to the templates, as Python keeps its own byte code, so that nobody can
    change the ones who cannot change the others. None where Python is to leave none, or nothing can be written."""
    if sys.dont_write_bytecode:
        return None
    folder = resources.templates() / "__pycache__"
    with contextlib.suppress(OSError):
        folder.mkdir(exist_ok=True)
    return jinja2.FileSystemBytecodeCache(str(folder)) if os.access(folder, os.W_OK) else None


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


def _breakable(name: str) -> Markup:
    """A name that lines may break after its underscores."""
    return Markup(_escaped(name).replace("_", "_<wbr>"))


def _claims(run: Run) -> Markup:
    """The rows of the table of a run's claims: most of a page, which a template takes four times as long for."""
    rows = []
    for row in claim_rows(run):
        contract, place, by = map(_escaped, (row.contract, row.place or "-", row.by or "-"))
        cells = f'<td>{place}</td><td class="number">{row.count}</td><td>{_escaped(row.outcome)}</td><td>{by}</td>'
        rows.append(f'<tr><th scope="row"><code>{contract}</code></th>{cells}</tr>\n')
    return Markup("".join(rows))


@functools.lru_cache(maxsize=4096)
def _escaped(text: str) -> str:
    return str(escape(text))


def _data(
    page: Page, drawn: list[Figure], html_of: Mapping[str, str], colours: Mapping[str, list[str]]
) -> dict[str, object]:
    """The data that the script of the page shows when it is asked for."""
    return {
        "sources": {file: colours[file] for file in page.sources},
        "symbols": _MARKS,
        "figures": {figure.id: figure.specification for figure in drawn if len(page.targets) >= _PLOTTED},
        "targets": {
            target.anchor: {
                "html": html_of[target.anchor],
                "file": target.file,
                "function": target.function,
                "code": colours[target.anchor],
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
        ("family", [one.family for one in page.matrix]),
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


#: The page that is being made, in this process and in the other one.
_made: list[Page] = []


@contextlib.contextmanager
def another_process(page: Page) -> Iterator[Executor]:
    """A process that works on the page next to this one, where that costs little to start; elsewhere a thread."""
    _made.append(page)
    try:
        forked = sys.platform == "linux"
        # Forked, it has the page.
        pool = ProcessPoolExecutor(1, multiprocessing.get_context("fork")) if forked else ThreadPoolExecutor(1)
        with pool:
            yield pool
    finally:
        _made.remove(page)


def _coloured(remembered: Path | None) -> dict[str, list[str]]:
    """The lines of the sources of the page that is being made, by file, and of the functions of targets, by id."""
    page = _made[-1]
    return Colours(remembered).of({**page.sources, **{target.anchor: target.code for target in page.targets}})


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
