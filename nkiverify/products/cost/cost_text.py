"""The cost of a kernel as text, and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
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
    "scratch_read_once": "  of these, of tensors of its own",
    "hbm_written": "HBM bytes written, as written",
    "hbm_written_once": "HBM bytes written, each once",
    "scratch_written_once": "  of these, of tensors of its own",
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
    reports = (found, *(() if other is None else (other,)))
    lines = [found.subject, *(() if other is None else (f"compared with {other.subject}",)), *_domain(found)]
    for one in reports:
        if one.refused:
            lines += ["", style.warn(_wrapped(f"UNKNOWN: {one.subject} has no figures: {one.refused}", ""))]
            return "\n".join(lines)
        for site, what in one.unknown:
            lines += ["", style.warn(_wrapped(f"UNKNOWN cost at {_place(site, base)}: {what}", ""))]
            lines += ["  The figures leave it out."]
    lines += ["", *_table(found, other)]
    for section in (
        _memory(found, other),
        _time(found, other),
        _hbm(found, base, ""),
        _hbm(other, base, " (the other)"),
    ):
        told = list(section)
        lines += ["", *told] if told else []
    for warning in found.found:
        lines += ["", style.warn(f"{warning.id} at {_place(warning.site, base)}")]
        lines.append(_wrapped(warning.message))
    for budget in found.budgets:
        said = f"budget {budget.text}: {budget.answer.value}{f', {budget.reported}' if budget.reported else ''}"
        mark = {BudgetAnswer.HOLDS: style.good, BudgetAnswer.BROKEN: style.bad, BudgetAnswer.UNKNOWN: style.warn}[
            budget.answer
        ]
        lines += ["", mark(_wrapped(said, ""))]
    return "\n".join(lines)


def _domain(found: CostReport) -> Iterator[str]:
    """The domain and the arguments, where they are not those that somebody gave."""
    if found.where:
        yield _wrapped(f"where {', '.join(found.where)}")
    if found.assumed:
        yield _wrapped(f"assumed: {found.assumed}")


def _line(label: str, *numbers: str) -> str:
    """A label with a number, or with those of two kernels."""
    return f"  {label:<39} {' '.join(f'{number:>18}' for number in numbers)}"


def _table(found: CostReport, other: CostReport | None) -> Iterator[str]:
    reports = [found] if other is None else [found, other]
    shape = ", ".join(f"{name} = {value}" for name, value in found.at.items())
    yield f"At {shape}:" if shape else "Figures:"
    if other is not None:
        yield _line("", "this kernel", "the other")
    names = dict.fromkeys(row.name for one in reports for row in one.rows)
    for name in sorted(names, key=list(LABELS).index):
        rows = [one.by_name.get(name, Row(name, "0", "0", 0, 0)) for one in reports]
        if all(row.high == "0" for row in rows):
            continue
        yield _line(LABELS[name], *map(_number, rows))
        if found.at:
            formulas = list(dict.fromkeys(map(_formula, rows)))
            yield _indented(f"= {formulas[0]}")
            yield from (_indented(f"= {formula}  (the other)") for formula in formulas[1:])
        if name == "hbm_read":
            yield from _times_read(reports)
    if any(one.intensity is not None for one in reports):
        told = ("not known" if one.intensity is None else f"{one.intensity:.1f}" for one in reports)
        yield _line("matmul operations for each byte of HBM", *told)


def _times_read(reports: Sequence[CostReport]) -> Iterator[str]:
    told = []
    for one in reports:
        rows = [one.by_name.get(name) for name in ("hbm_read", "hbm_read_once")]
        written, once = (None if row is None else row.most for row in rows)
        told.append(f"{written / once:.2f}" if written and once else "not known")
    if any(number != "not known" for number in told):
        yield _line("  times that a byte is read", *told)


def _formula(row: Row) -> str:
    return row.low if row.low == row.high else f"{row.low}  to  {row.high}"


def _number(row: Row) -> str:
    if row.least is None or row.most is None:
        return "not known"
    return f"{row.most:,}" if row.least == row.most else f"{row.least:,} to {row.most:,}"


def _memory(found: CostReport, other: CostReport | None) -> Iterator[str]:
    if found.peaks or (other is not None and other.peaks):
        yield "Bytes of a partition that are live at most:"
    for one, whose in ((found, ""), (other, " (the other)")):
        for peak in () if one is None else one.peaks:
            more = ", more than there is: what does not fit is spilled, or loaded again" if peak.overflows else ""
            yield _wrapped(f"{peak.memory}{whose}: {peak.in_turn:,} of {peak.limit:,}{more}")
            if peak.spills and not peak.overflows:
                yield _wrapped(
                    f"{peak.in_turn + peak.kept:,} where the compiler takes out of loops what is the same in each "
                    "iteration: that is more than there is, so it spills, or loads again.",
                    "    ",
                )
            if peak.in_turn != peak.bytes:
                yield _wrapped(f"{peak.bytes:,} with all blocks of tensors that are used one block at a time", "    ")


def _time(found: CostReport, other: CostReport | None) -> Iterator[str]:
    reports = [found] if other is None else [found, other]
    times = [one.times for one in reports]
    if None in times:
        return
    known = [one for one in times if one is not None]
    yield f"Lower bound of the time on one core of {found.hardware} (no prediction), by engine:"
    yield from _by_engine([one.least for one in known])
    yield "By the cycles that are documented for what is written (the compiler may do"
    yield "better, or worse):"
    yield from _by_engine([one.as_written for one in known])
    for bounding in found.bounding:
        if len(bounding.engines) > 1:
            parts = [
                f"{engine} at {bounding.dimension} = {first}{f' to {last}' if last != first else ''}"
                for engine, first, last in bounding.engines
            ]
            yield _wrapped(f"Bound by {', by '.join(parts)} (of the values tried).")


def _by_engine(seconds: Sequence[Mapping[str, float]]) -> Iterator[str]:
    """The seconds of one kernel or two by engine, those of the first that take longest first."""
    for name in sorted(seconds[0], key=lambda name: -seconds[0][name]):
        if any(one[name] for one in seconds):
            yield _line(name, *(_seconds(one[name]) for one in seconds))


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.3f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:,.2f} us"


def _hbm(found: CostReport | None, base: Path, whose: str) -> Iterator[str]:
    if found is None or not found.places:
        return
    yield f"HBM bytes by place{whose}:"
    for place in found.places:
        number = "not known" if place.number is None else f"{place.number:,}"
        does = "reads" if place.figure == "hbm_read" else "writes"
        yield f"  {_place(place.site, base)}: {place.operation} {does} {number}"
        if found.at:
            yield _indented(f"= {place.formula}")


def _place(site: Site | None, base: Path) -> str:
    if site is None:
        return "an unknown place"
    path = Path(site.file)
    shown = path.relative_to(base) if path.is_relative_to(base) else path
    return f"{shown}:{site.line}"


def _wrapped(message: str, indent: str = "  ") -> str:
    after = indent or "  "
    return textwrap.fill(message, WIDTH, initial_indent=indent, subsequent_indent=after, break_on_hyphens=False)


def _indented(formula: str) -> str:
    return textwrap.fill(formula, WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 6)


def as_json(reports: Sequence[CostReport], base: Path) -> str:
    """The reports as JSON: `{"format": "nkiverify-cost", "version": 1, "kernels": [...]}`."""
    kernels = [
        {
            "kernel": one.subject,
            "hardware": one.hardware,
            "assumed": one.assumed or None,
            "where": list(one.where),
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
