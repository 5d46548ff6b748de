"""`make bench`: measure what verifying the targets costs."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lab import bench_table
from lab.audit import with_measured_section
from lab.bench import (
    MANIFEST_JOBS,
    MANIFEST_ROUNDS,
    WARM_SECONDS,
    Growth,
    Measurement,
    load_average,
    machine,
    measure,
    measure_growth,
)
from lab.bench_costs import beyond_check, of_all_sizes, summary
from lab.bench_equiv import beside_numpy
from lab.bench_imports import imports
from lab.first_contact import start_of_child
from lab.scale import PHASES, whole_manifest
from nkiverify.cli.command_arguments import add_selection, positive_integer, selected_targets, selection
from nkiverify.foundation import resources
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.target import Target
from nkiverify.project.repository import with_targets
from nkiverify.report.progress import Progress
from nkiverify.results.session import ExitStatus
from nkiverify.results.wording import milliseconds
from nkiverify.verify.options import Options

DESCRIPTION = """\
Measure what verifying each target costs, in a process of its own, all phases
together: the first time (cold), again in the same process (warm, the best of
several), paths explored, and the peak of the process's memory. Without names
or filters also what the whole manifest takes, and how the cost grows with the
size of a shape and with the length of a kernel."""

#: The generated section of docs/speed.md.
SECTION = "bench"


def main(words: Sequence[str] | None = None) -> int:
    """Measure what the words ask for, those of the process if None; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lab.bench_command")
    configure(parser)
    try:
        return execute(parser.parse_intermixed_args(words))
    except UsageError as error:
        print(f"nkiverify: error: {error}", file=sys.stderr)
        return ExitStatus.USAGE


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    add_selection(parser)
    parser.add_argument(
        "--repeat", type=positive_integer, default=5, metavar="N", help="warm rounds at most (default: %(default)s)"
    )
    parser.add_argument(
        "--write", action="store_true", help="also write the figures, of the whole manifest, into docs/speed.md"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Measure the selected targets; 3 if one gave no answer, 1 if one did not end as expected."""
    options = selection(arguments, with_targets(arguments.bundled))
    if arguments.engine is None:
        # What is measured is ours; ESBMC says its own times.
        options = replace(options, engine="embedded")
    partial = bool(options.patterns or options.families or options.tags or options.phases is not None)
    if arguments.write and partial:
        raise UsageError("--write is about the whole manifest: leave out names and filters")
    targets = selected_targets(options)

    if not targets:
        return ExitStatus.NOTHING_VERIFIED
    load_before = load_average()
    measured = _measured(targets, options, arguments.repeat)
    print(bench_table.table(measured))
    print(bench_table.summary(measured))
    print(bench_table.breakdown(measured))
    status = _status(targets, measured)
    if not partial:
        growth = measure_growth(targets, options, arguments.repeat)
        place = machine(load_before)
        costs = summary(list(beyond_check(of_all_sizes())))
        lines = [*growth_lines(growth), imports(), isolation(), beside_numpy(), costs]
        print("\n".join(lines))
        print(place)
        if arguments.write and status is ExitStatus.AS_EXPECTED:
            _write_into_page(markdown(measured, lines, place, arguments.repeat))
    return status


def _measured(targets: Sequence[Target], options: Options, rounds: int) -> list[Measurement]:

    progress = Progress(len(targets), sys.stderr)
    measured = []
    progress.started(targets[0].name)
    for position, (target, measurement) in enumerate(zip(targets, measure(targets, options, rounds), strict=True)):
        progress.finished(target.name, ())
        if position + 1 < len(targets):
            progress.started(targets[position + 1].name)
        if measurement is not None:
            measured.append(measurement)
    progress.close()
    return measured


def _status(targets: Sequence[Target], measured: Sequence[Measurement]) -> ExitStatus:

    answered = {measurement.target for measurement in measured}
    unanswered = [target.name for target in targets if target.name not in answered]
    unexpected = [measurement.target for measurement in measured if not measurement.as_expected]
    for name in unanswered:
        print(f"nkiverify: {name} gave no measurement", file=sys.stderr)
    for name in unexpected:
        print(f"nkiverify: {name} did not end as expected: its figures are of something else", file=sys.stderr)
    if unanswered:
        return ExitStatus.UNKNOWN
    return ExitStatus.MISMATCH if unexpected else ExitStatus.AS_EXPECTED


def growth_lines(growth: Growth) -> Iterator[str]:
    """The time of the whole manifest, and how the cost grows, in a line each."""

    yield (
        f"whole manifest, all phases, {MANIFEST_JOBS} workers: {growth.manifest_seconds:.1f} s"
        f" (best of {MANIFEST_ROUNDS})"
    )
    widths = ", ".join(
        f"{width} columns {milliseconds(measurement.warm_milliseconds)} ms"
        for width, measurement in growth.by_width.items()
    )
    yield f"one matmul, by the size of the result: {widths}"
    lengths = ", ".join(
        f"{length} operations {milliseconds(measurement.warm_milliseconds)} ms"
        f" ({measurement.warm_milliseconds / length:.2f} each)"
        for length, measurement in growth.by_length.items()
    )
    yield f"straight-line kernels: {lengths}"


def isolation() -> str:
    """The cost of running kernels in processes of their own, and that of the manifest with and without it."""
    with tempfile.TemporaryDirectory() as folder:
        alone, isolated = (
            whole_manifest(Path(folder), ("--engine", "embedded", "--no-page", *options))[2]
            for options in (("--executor", "in-process"), ("-j", "1"))
        )
    return (
        f"isolation: the process for a kernel takes {start_of_child():.1f} ms; the whole manifest, phases {PHASES},"
        f" {isolated:.1f} s of processor time in a worker process with its limits,"
        f" {alone:.1f} s in the one that reports"
    )


def markdown(measured: Sequence[Measurement], lines: Sequence[str], place: str, rounds: int) -> str:
    """The section of docs/speed.md: sums, the `lines` of growth and the like, and every target folded away."""

    rungs = sorted({rung for measurement in measured for rung in measurement.closed_by})
    header = ("target", "claims", *rungs, "paths", "cold ms", "warm ms", "MiB")
    rows = [
        (
            f"`{measurement.target}`",
            str(measurement.claims),
            *(str(measurement.closed_by.get(rung, 0)) for rung in rungs),
            str(measurement.paths),
            milliseconds(measurement.cold_milliseconds),
            milliseconds(measurement.warm_milliseconds),
            f"{measurement.peak_kibibytes / 1024:.0f}",
        )
        for measurement in measured
    ]
    ruled = (header, ("---", *("---:" for _ in header[1:])), *rows)
    table = "\n".join("| " + " | ".join(line) + " |" for line in ruled)
    conditions = f"measured on {place}; warm is the best of {rounds}, of fewer after {WARM_SECONDS:g} s"
    facts = [bench_table.summary(measured), bench_table.breakdown(measured), *lines, conditions]
    return "\n".join(
        [
            *(f"- {fact[0].upper()}{fact[1:]}." for fact in facts),
            "",
            "<details>",
            "<summary>Every target, all its phases together</summary>",
            "",
            table,
            "",
            "</details>",
        ]
    )


def _write_into_page(section: str) -> None:

    page = resources.root() / "docs" / "speed.md"
    page.write_text(with_measured_section(page.read_text(encoding="utf-8"), SECTION, section), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
