"""Write docs/gallery.md and its pictures: what a run shows of each upstream bug, and of what is live in a kernel.

`make pages` does not write them, as their targets have to be verified: `python -m lab.gallery` does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.target import Target
from nkiverify.project.manifest_targets import load_targets
from nkiverify.report import diagnostic
from nkiverify.report.dashboard import pictures
from nkiverify.report.dashboard.pictures import Bar, LegendEntry
from nkiverify.results import codec
from nkiverify.results import file as results_file
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

TAG = "upstream-bug"
PAGE, PICTURES = "gallery.md", "pictures"
#: The target whose memory is drawn for the first page.
_OCCUPIED = "matmul_fully_optimized_all"

_HEAD = """\
# Gallery

<!-- written by `python -m lab.gallery`: what verifying the targets shows -->

Bugs of published kernels, as nkiverify tells of them: the line, the smallest shapes that show the bug, and where
several lines store an output, or nothing stores all of it, which line stores what. [Upstream bugs](upstream-bugs.md)
has the stories, and the fixed forms beside them.
"""
_WIDTH, _LINE = 640, 18


def main() -> int:
    """Write the page and the pictures; the exit status."""
    root = resources.root()
    folder = root / "docs" / PICTURES
    folder.mkdir(exist_ok=True)
    told = [_HEAD]
    targets = load_targets(root)
    anchors = _anchors((root / "docs" / "upstream-bugs.md").read_text(encoding="utf-8"))
    for target in shown_targets(targets):
        told.append("\n\n".join(_section(target, anchors.get(target.name, ""), folder, root)))
    (root / "docs" / PAGE).write_text("\n".join(told), encoding="utf-8")
    occupied = next(target for target in targets if target.name == _OCCUPIED)
    sbuf = next(peak for run in _runs(occupied, (3,)) for peak in run.memory if peak.memory == "sbuf")
    drawn = pictures.occupancy(sbuf)
    assert drawn is not None
    (folder / "sbuf.svg").write_text(occupancy_svg(drawn), encoding="utf-8")
    return 0


def shown_targets(targets: Sequence[Target]) -> list[Target]:
    """The targets of upstream bugs that fail, without those that only show that a fixed form rejects something."""
    return [
        target
        for target in targets
        if TAG in target.tags and Verdict.FAILED in target.expect.values() and target.kind.value != "boundary"
    ]


def _runs(target: Target, phases: tuple[int, ...]) -> list[Run]:
    found = verify(target, Options(root=target.root, phases=phases, timeout=120.0))
    # As they are read from a file: with paths relative to the root.
    return [results_file.run(codec.entry(run, target.root)) for run in found]


def _section(target: Target, anchor: str, folder: Path, root: Path) -> Iterator[str]:
    failing = tuple(phase for phase, verdict in target.expect.items() if verdict is Verdict.FAILED)
    yield f"## {target.name}"
    yield re.sub(r"https://\S*\w", r"<\g<0>>", " ".join(target.description.split()))
    for run in _runs(target, failing):
        for group in diagnostic.grouped(run.violations)[:1]:
            lines = "\n".join(line.removeprefix("  ") for line in diagnostic.violations(group, root, 100))
            yield f"Phase {run.phase}:\n\n```text\n{lines}\n```"
        for one in run.coverage:
            drawn = pictures.coverage(one)
            if drawn is not None:
                name = f"{target.name}-{one.tensor}.svg"
                (folder / name).write_text(map_svg(drawn), encoding="utf-8")
                yield f"![The line that stores each element of {one.tensor}]({PICTURES}/{name})"
    more = f" The story: [upstream bugs](upstream-bugs.md#{anchor})." if anchor else ""
    yield f"Run it: `python verify.py {target.name}`.{more}\n"


def _anchors(page: str) -> dict[str, str]:
    """By target, the anchor of the section that has it in its table."""
    found = {}
    for section in page.split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        anchor = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
        found.update(dict.fromkeys(re.findall(r"^\| `(\w+)`", text, re.MULTILINE), anchor))
    return found


# --- pictures that stand alone ----------------------------------------------------------------------------------------


def map_svg(drawn: pictures.StoreMap) -> str:
    """The map of an output as a file."""
    words = [f"Stored last: {drawn.title}", *([drawn.scale] if drawn.scale else [])]
    return _file(_bars(drawn.bars), drawn.names, words, _LINE * len(words), drawn.height)


def occupancy_svg(drawn: pictures.OccupancyPicture) -> str:
    """The picture of a memory as a file."""
    body = _bars(drawn.bars)
    body += f'<line class="axis" x1="0" x2="{drawn.width}" y1="{drawn.height}" y2="{drawn.height}"/>'
    if drawn.limit is not None:
        body += f'<line class="limit" x1="0" x2="{drawn.width}" y1="{drawn.limit}" y2="{drawn.limit}"/>'
    body += "".join(
        f'<text class="number" x="{x}" y="{drawn.height + 14}">{escape(number)}</text>' for x, number in drawn.numbers
    )
    words = [f"{drawn.memory} over the lines: {drawn.most} of {drawn.limit_bytes} bytes of a partition at most"]
    words += [f"for {drawn.at}"] if drawn.at else []
    return _file(body, drawn.names, words, _LINE * len(words) + 4, drawn.height + 18)


def _bars(bars: Sequence[Bar]) -> str:
    return "".join(
        f'<rect class="c{one.colour}" x="{one.x}" y="{one.y}" width="{one.width}" height="{one.height}">'
        f"<title>{escape(one.says)}</title></rect>"
        for one in bars
    )


def _file(body: str, names: Sequence[LegendEntry], words: Sequence[str], top: float, height: float) -> str:
    """A picture under a line or two of words, with its legend below."""
    heads = "".join(f'<text x="0" y="{_LINE * number + 12}">{escape(one)}</text>' for number, one in enumerate(words))
    legend = "".join(
        f'<rect class="c{one.colour}" x="0" y="{top + height + 8 + _LINE * number}" width="11" height="11"/>'
        f'<text x="18" y="{top + height + 18 + _LINE * number}">{escape(f"{one.name} {one.words}")}</text>'
        for number, one in enumerate(names)
    )
    whole = top + height + 14 + _LINE * len(names)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 0 {_WIDTH + 4} {whole:g}" width="{_WIDTH + 4}" '
        f'role="img" aria-label="{escape(words[0])}">\n<style>{_style()}</style>\n{heads}\n'
        f'<g transform="translate(0 {top})">{body}</g>\n{legend}\n</svg>\n'
    )


def _style() -> str:
    """The colours of the page of results, in its light and its dark scheme."""
    css = (resources.templates() / "dashboard.css").read_text(encoding="utf-8")
    wanted = r"--(tile-\d|ink|faint|rule|mismatch|mismatch-ink|unknown): (#\w+);"
    light = dict(re.findall(wanted, css.partition("@media")[0]))
    dark = dict(re.findall(wanted, css.partition("@media")[2].partition("}")[0]))
    both = [";".join(f"--{name}:{value}" for name, value in side.items()) for side in (light, dark)]
    colours = "".join(f".c{number}{{fill:var(--tile-{number})}}" for number in range(9))
    return (
        f":root{{{both[0]}}}@media (prefers-color-scheme:dark){{:root{{{both[1]}}}}}{colours}"
        ".c-1{fill:var(--mismatch);stroke:var(--mismatch-ink)}.c-2{fill:var(--unknown)}"
        "text{fill:var(--ink);font:13px system-ui,sans-serif}"
        ".number{fill:var(--faint);font-size:11px;text-anchor:middle}"
        ".axis{stroke:var(--faint)}.limit{stroke:var(--mismatch-ink);stroke-dasharray:6 4}"
    )


if __name__ == "__main__":
    sys.exit(main())
