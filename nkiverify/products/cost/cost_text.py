"""The cost of a kernel as text, and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from nkiverify.foundation.source import Site
from nkiverify.products.cost.budget import BudgetAnswer
from nkiverify.products.cost.lints import LINTS
from nkiverify.products.cost.report import CostReport, Row
from nkiverify.report.style import PLAIN, Style
from nkiverify.report.terminal import WIDTH

#: What a row says of its figure.
LABELS = {
    "hbm_read": "HBM bytes read, as written",
    "hbm_read_once": "HBM bytes read, each once",
    "hbm_written": "HBM bytes written, as written",
    "hbm_written_once": "HBM bytes written, each once",
    "scratch_read_once": "  of these of tensors of its own",
    "scratch_written_once": "  of these of tensors of its own",
    "descriptors": "DMA descriptors (contiguous runs)",
    "dma_instructions": "DMA transfers",
    "tensor_instructions": "instructions: tensor",
    "scalar_instructions": "instructions: scalar",
    "vector_instructions": "instructions: vector",
    "gpsimd_instructions": "instructions: gpsimd",
    "open_instructions": "instructions: vector, or another",
    "assignments": "assignments to elements",
    "tensor_columns": "tensor engine: columns times passes",
    "flops": "floating-point operations of matmuls",
    "transposes": "transposes",
    "transpose_flops": "floating-point operations of transposes",
    "scalar_cycles": "cycles: scalar",
    "vector_cycles": "cycles: vector",
    "gpsimd_cycles": "cycles: gpsimd",
    "open_cycles": "cycles: vector or gpsimd",
    "shared_cycles": "cycles: vector, scalar or gpsimd",
}


def text(found: CostReport, other: CostReport | None, base: Path, style: Style = PLAIN) -> str:
    """The report, next to that of another kernel if there is one."""
    lines = [found.subject if other is None else f"{found.subject} and {other.subject}"]
    for one in (found, *(() if other is None else (other,))):
        if one.refused:
            lines += ["", style.warn(f"UNKNOWN: {one.subject} has no figures: {one.refused}")]
            return "\n".join(lines)
        for site, what in one.unknown:
            lines += ["", style.warn(f"UNKNOWN cost at {_place(site, base)}: {what}"), "  The figures leave it out."]
    lines += ["", *_table(found, other)]
    lines += _memory(found)
    lines += _time(found)
    lines += _hbm(found, base)
    for warning in found.found:
        lines += ["", style.warn(f"{warning.id} at {_place(warning.site, base)}")]
        lines.append(_wrapped(warning.message))
    for budget in found.budgets:
        said = f"{budget.text}: {budget.answer.value}{f', {budget.reported}' if budget.reported else ''}"
        mark = {BudgetAnswer.HOLDS: style.good, BudgetAnswer.BROKEN: style.bad, BudgetAnswer.UNKNOWN: style.warn}[
            budget.answer
        ]
        lines += ["", mark(said)]
    return "\n".join(lines)


def _table(found: CostReport, other: CostReport | None) -> Iterator[str]:
    shape = ", ".join(f"{name} = {value}" for name, value in found.at.items())
    yield f"At {shape}:" if shape else "Figures:"
    for row in found.rows:
        label = LABELS[row.name]
        numbers = _number(row)
        if other is not None:
            attached = other.by_name.get(row.name)
            numbers = f"{numbers:>22} {_number(attached) if attached is not None else '0':>22}"
        yield f"  {label:<40} {numbers:>22}"
        if found.at:
            formula = row.low if row.low == row.high else f"{row.low}  to  {row.high}"
            yield textwrap.fill(f"= {formula}", WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 6)
    rows = found.by_name
    read, least = rows.get("hbm_read"), rows.get("hbm_read_once")
    if read is not None and least is not None and read.most and least.most:
        yield f"  {'read as often as':<40} {read.most / least.most:>22.2f}"
    if found.intensity is not None:
        yield f"  {'operations for each byte of HBM':<40} {found.intensity:>22.1f}"


def _number(row: Row) -> str:
    if row.least is None or row.most is None:
        return "not known"
    return f"{row.most:,}" if row.least == row.most else f"{row.least:,} to {row.most:,}"


def _memory(found: CostReport) -> Iterator[str]:
    for peak in found.peaks:
        more = ", more than there is: what does not fit is spilled" if peak.overflows else ""
        yield ""
        yield f"{peak.memory}: {peak.in_turn:,} of {peak.limit:,} bytes of a partition are live at most{more}"
        if peak.spills and not peak.overflows:
            yield _wrapped(
                f"{peak.in_turn + peak.kept:,} where the compiler takes out of loops what is the same in each "
                "iteration: that is more than there is, so it spills, or loads again."
            )
        if peak.in_turn != peak.bytes:
            yield f"  ({peak.bytes:,} with all blocks of tensors that are used one block at a time)"


def _time(found: CostReport) -> Iterator[str]:
    if found.times is None:
        return
    engine, seconds = found.times.bound
    yield ""
    yield f"No kernel that does this is faster on a core of {found.hardware} (a bound, no prediction):"
    yield f"  {_seconds(seconds)}, by {engine}"
    for name, each in sorted(found.times.least.items(), key=lambda item: -item[1]):
        if each:
            yield f"    {name:<24} {_seconds(each):>12}"
    yield "With what instructions are documented to take, as they are written (compilers do better, and worse):"
    for name, each in sorted(found.times.as_written.items(), key=lambda item: -item[1]):
        if each:
            yield f"    {name:<24} {_seconds(each):>12}"
    for bounding in found.bounding:
        if len(bounding.engines) > 1:
            parts = [
                f"{engine} at {bounding.dimension} = {first}{f' to {last}' if last != first else ''}"
                for engine, first, last in bounding.engines
            ]
            yield _wrapped(f"Of the values tried it is bound by {', by '.join(parts)}.")


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.3f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:,.2f} us"


def _hbm(found: CostReport, base: Path) -> Iterator[str]:
    if found.places:
        yield ""
        yield "HBM bytes by place:"
    for place in found.places:
        number = "not known" if place.number is None else f"{place.number:,}"
        does = "reads" if place.figure == "hbm_read" else "writes"
        yield f"  {_place(place.site, base)}: {place.operation} {does} {number}"
        if found.at:
            yield textwrap.fill(f"= {place.formula}", WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 6)


def _place(site: Site | None, base: Path) -> str:
    if site is None:
        return "an unknown place"
    path = Path(site.file)
    shown = path.relative_to(base) if path.is_relative_to(base) else path
    return f"{shown}:{site.line}"


def _wrapped(message: str) -> str:
    return textwrap.fill(message, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def as_json(reports: Sequence[CostReport], base: Path) -> str:
    """The reports as JSON: `{"format": "nkiverify-cost", "version": 1, "kernels": [...]}`."""
    kernels = [
        {
            "kernel": one.subject,
            "hardware": one.hardware,
            "refused": one.refused or None,
            "unknown": [{"place": _place(site, base), "what": what} for site, what in one.unknown],
            "at": dict(one.at),
            "figures": {
                row.name: {"low": row.low, "high": row.high, "least": row.least, "most": row.most} for row in one.rows
            },
            "memory": {
                peak.memory: {
                    "bytes": peak.in_turn,
                    "all_blocks": peak.bytes,
                    "out_of_loops": peak.kept,
                    "limit": peak.limit,
                }
                for peak in one.peaks
            },
            "seconds": None
            if one.times is None
            else {"least": dict(one.times.least), "as_written": dict(one.times.as_written)},
            "bounded_by": {
                each.dimension: [{"engine": engine, "from": first, "to": last} for engine, first, last in each.engines]
                for each in one.bounding
            },
            "places": [
                {
                    "place": _place(place.site, base),
                    "operation": place.operation,
                    "figure": place.figure,
                    "formula": place.formula,
                    "number": place.number,
                }
                for place in one.places
            ],
            "warnings": [
                {"id": each.id, "place": _place(each.site, base), "message": each.message} for each in one.found
            ],
            "budgets": [
                {"budget": each.text, "answer": each.answer.value, "told": each.reported} for each in one.budgets
            ],
        }
        for one in reports
    ]
    return json.dumps({"format": "nkiverify-cost", "version": 1, "kernels": kernels}, indent=1) + "\n"


def explained(id: str) -> str | None:
    """The text of `nkiverify explain` about a warning; None where there is none with this id."""
    lint = next((one for one in LINTS if one.id == id), None)
    if lint is None:
        return None
    parts = [f"{lint.id}\n{_wrapped(f'{lint.text} A warning of `nkiverify cost --lints`, which changes no verdict.')}"]
    parts.append(_wrapped(f"Source: {lint.source}"))
    for side, kernel in (("wrong", lint.wrong), ("right", lint.right)):
        parts.append(f"  {side}:\n\n{textwrap.indent(kernel.rstrip(), '    ')}")
    return "\n\n".join(parts)
