"""`make published CHECKOUT=DIR`: run `check` on published kernels of a checkout, and say which answers are right."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import bench
from lab.audit import with_measured_section
from lab.published.launches import PHASES, Launch, launches
from lab.scale import keep_byte_code
from nkiverify.foundation import resources
from nkiverify.foundation.errors import UsageError
from nkiverify.report.columns import columns
from nkiverify.results.session import ExitStatus

PAGE = resources.root() / "docs" / "published.md"
#: Seconds after the time limit of `check` at which its process is ended.
GRACE = 30
#: What a launch may take: bytes of memory, in use at the same time.
MEMORY = 2**30

HEADER = ("launch", *PHASES, "assessment", "s", "MB", "why")
#: Said of a phase that a launch leaves nothing to claim in.
NOTHING = "none"
_SHORT = {"SUCCESSFUL": "ok", "UNKNOWN": "?"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of `check` about a launch, and what that took."""

    launch: Launch
    #: The verdict in each phase; a phase without one is missing.
    verdicts: dict[str, str]
    #: The reason of the first phase that is not as expected, or the last line of a run that gave no verdict.
    reason: str
    seconds: float
    #: Bytes of memory at the peak.
    peak: int

    @property
    def assessment(self) -> str:
        """`right` where every phase is as expected; else what is wrong, the worst first."""
        said = {(self.verdicts.get(phase), self.launch.expected[phase]) for phase in PHASES}
        wrong = {pair for pair in said - {(NOTHING, "SUCCESSFUL")} if pair[0] != pair[1]}
        if not wrong:
            return "right"
        if any(verdict == "SUCCESSFUL" for verdict, _ in wrong):
            return "wrong pass"
        if any(verdict == "FAILED" for verdict, _ in wrong):
            return "false alarm"
        return "UNKNOWN" if all(verdict == "UNKNOWN" for verdict, _ in wrong) else "stopped"


def main(words: Sequence[str] | None = None) -> int:
    """Run what the words ask for; 1 if an answer is not right."""
    parser = argparse.ArgumentParser(prog="python -m lab.published", description=__doc__)
    parser.add_argument(
        "--checkout", type=Path, action="append", required=True, metavar="DIR", help="once for each repository"
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="a family, or launches with this in their name")
    parser.add_argument("--symbolic", action="store_true", help="the launches with symbolic dimensions")
    parser.add_argument("--write", action="store_true", help="also write the table into docs/published.md")
    arguments = parser.parse_args(words)
    keep_byte_code()
    try:
        return execute(arguments)
    except UsageError as error:
        print(f"nkiverify: error: {error}", file=sys.stderr)
        return ExitStatus.USAGE


def execute(arguments: argparse.Namespace) -> int:
    """Run the launches, printing each as it ends, then the sums."""
    if arguments.write and arguments.only:
        raise UsageError("--write is about all launches: leave out --only")
    chosen: list[tuple[Launch, Path]] = []
    for launch in launches(symbolic=arguments.symbolic):
        if arguments.only and not any(word in launch.name or word == launch.family for word in arguments.only):
            continue
        checkout = next((folder for folder in arguments.checkout if launch.is_in(folder)), None)
        if checkout is not None:
            chosen.append((launch, checkout))
        elif arguments.write:
            raise UsageError(f"{launch.name}: {launch.root}/{launch.kernel} of {launch.repository} is in no checkout")
        else:
            print(f"{launch.name}: not in a checkout, {launch.repository}", file=sys.stderr)
    if not chosen:
        return ExitStatus.NOTHING_VERIFIED
    load, outcomes = bench.load_average(), []
    for launch, checkout in chosen:
        outcomes.append(outcome(launch, checkout))
        print(f"{launch.name}: {outcomes[-1].assessment}, {outcomes[-1].seconds:.1f} s", file=sys.stderr)
    print(table(outcomes))
    told = [*sums(outcomes), bench.machine(load)]
    print("\n".join(told))
    if arguments.write:
        section = "symbolic" if arguments.symbolic else "concrete"
        content = "\n".join([markdown(outcomes), "", *(f"- {line}" for line in told)])
        PAGE.write_text(with_measured_section(PAGE.read_text(encoding="utf-8"), section, content), encoding="utf-8")
    right = all(each.assessment == "right" for each in outcomes)
    return ExitStatus.AS_EXPECTED if right else ExitStatus.MISMATCH


def outcome(launch: Launch, checkout: Path) -> Outcome:
    """The answer of `check` about the launch, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        results, output = Path(folder) / "results.json", Path(folder) / "output"
        options = ("--timeout", f"{launch.seconds:g}", "--json", str(results))
        words = ("check", launch.kernel, *launch.written(Path(folder)), *options)
        command = [sys.executable, str(resources.root() / "verify.py"), *words]
        begin = time.perf_counter()
        with output.open("wb") as stream:
            process = subprocess.Popen(command, cwd=launch.folder(checkout), stdout=stream, stderr=stream)
            peak = _wait(process, launch.seconds + GRACE)
        seconds = time.perf_counter() - begin
        text = output.read_text(encoding="utf-8", errors="replace").strip()
        try:
            runs = json.loads(results.read_text(encoding="utf-8"))["runs"]
        except (OSError, ValueError):
            runs = []
    # A phase that has nothing to claim is not told of.
    verdicts = dict.fromkeys(PHASES, NOTHING) if runs else {}
    verdicts |= {str(run["phase"]): run["verdict"] for run in runs}
    reasons = [_reason(run) for run in runs if run["verdict"] != launch.expected[str(run["phase"])]]
    last = text.splitlines()[-1] if text else "no output"
    return Outcome(launch, verdicts, reasons[0] if reasons else "" if runs else last, seconds, peak)


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int:
    """Wait for the end of the process, which is ended when the seconds are over: bytes of memory at its peak."""
    until = time.monotonic() + seconds
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        if time.monotonic() > until:
            process.kill()
        time.sleep(0.01)


def _reason(run: dict[str, object]) -> str:
    """Why the verdict of a phase is what it is, in a line."""
    violations = run.get("violations")
    if isinstance(violations, list) and violations:
        first = violations[0]
        return f"phase {run['phase']}: {first['contract']} at {first['file']}:{first['line']}"
    return f"phase {run['phase']}: {run['reason'] or run['verdict']}"


def table(outcomes: Sequence[Outcome]) -> str:
    """The outcomes in columns, as a terminal shows them."""
    rows = [(*_cells(each), each.reason[:100]) for each in outcomes]
    alignment = ["left"] * (len(HEADER) - 3) + ["right", "right", "left"]
    return columns(HEADER, rows, alignment)


def markdown(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as a table of the page, with the launch and the argument of what is expected."""
    lines = ["| launch | kernel | arguments | 1 | 2 | 3 | 4 | assessment | s | MB | why |"]
    lines.append("|---|---|---|---|---|---|---|---|--:|--:|---|")
    for each in outcomes:
        launch = each.launch
        given = [f"{name}: {expression}" for name, expression in launch.contents.items()]
        words = " ".join([*(word for word in launch.words if word != "--arg"), *given]).replace("|", "\\|")
        name, *cells = _cells(each)
        shown = (name, f"`{launch.kernel}`", f"`{words}`", *cells, launch.why or each.reason)
        lines.append("| " + " | ".join(shown) + " |")
    return "\n".join(lines)


def _cells(each: Outcome) -> tuple[str, ...]:
    verdicts = (each.verdicts.get(phase, "-") for phase in PHASES)
    shown = (_SHORT.get(verdict, verdict) for verdict in verdicts)
    return each.launch.name, *shown, each.assessment, f"{each.seconds:.1f}", f"{each.peak / 1e6:.0f}"


def sums(outcomes: Sequence[Outcome]) -> list[str]:
    """How many are right, what the others are, and what the launches took."""
    assessments = [each.assessment for each in outcomes]
    others = ", ".join(f"{assessments.count(word)} {word}" for word in sorted(set(assessments) - {"right"}))
    right, seconds = assessments.count("right"), [each.seconds for each in outcomes]
    over = sum(each.peak > MEMORY for each in outcomes)
    share = f"{right} of {len(assessments)} launches ({right / len(assessments):.0%}) are right in all four phases"
    return [
        f"{share}; {others}" if others else share,
        f"median {statistics.median(seconds):.1f} s, at most {max(seconds):.1f} s; {over} took more than 1 GB",
    ]


if __name__ == "__main__":
    sys.exit(main())
