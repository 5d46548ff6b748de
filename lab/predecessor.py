"""The runs that we share with the predecessor, its beside ours, each in turn: `make predecessor CHECKOUT=DIR`.

DIR holds the predecessor's repository. A run is a target in a phase, with the options that its published table gives
ESBMC (lab/predecessor_runs.csv). The program of a target is looked for by its name; where a checkout has it elsewhere,
`--program 'DIR/{name}.py'` says where. Times are of the clock on the wall, start of the process included: the machine
should be idle. A run of which ESBMC says nothing within its time counts with that time, so that the ratio is then a
lower bound. Exit status 1 where two verdicts contradict each other, 2 where nothing can be compared.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nkiverify.engines.esbmc import esbmc_process, locate, output
from nkiverify.engines.esbmc.locate import Installation
from nkiverify.engines.esbmc.output import Conclusion
from nkiverify.foundation.errors import UsageError
from nkiverify.report.columns import columns

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "lab" / "predecessor_runs.csv"
#: Names of files that may hold the program of a target.
_STEMS = ("{name}", "harness_{name}", "{name}_harness", "verify_{name}", "test_{name}")
_SECONDS = 300.0
#: Bytes that a process of ESBMC may take; the largest run of the published table took 719 MB.
_MEMORY = 4 * 2**30


@dataclass(frozen=True)
class Run:
    """A target of the predecessor in a phase, and the options that ESBMC is given for it."""

    name: str
    phase: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Timed:
    """A verdict and the seconds of wall time it took; the verdict is empty where none was given."""

    verdict: str
    seconds: float
    detail: str = ""


def main() -> int:
    """Compare, and print a line for each run and the ratio."""
    arguments = _arguments()
    try:
        esbmc = _esbmc()
        found = {run: arguments.checkout / _program(run.name, arguments) for run in _chosen(arguments.names)}
    except UsageError as error:
        print(f"predecessor: {error}", file=sys.stderr)
        return 2
    there = {run: program for run, program in found.items() if program.is_file()}
    missing = sorted({run.name for run in found if run not in there})
    if missing:
        print(f"no program in {arguments.checkout} for: {', '.join(missing)}")
    if not there:
        print("predecessor: nothing to compare: --program 'DIR/{name}.py' says where programs are", file=sys.stderr)
        return 2
    pairs = []
    for run, program in there.items():
        print(f"{run.name}, phase {run.phase}", file=sys.stderr, flush=True)
        pairs.append((run, _theirs(run, program, arguments, esbmc), _ours(run, arguments.engine)))
    print("\n".join(told(pairs, f"{esbmc.name} from {esbmc.whence}", arguments.engine)))
    return int(any(_contradict(theirs, ours) for _, theirs, ours in pairs))


def told(pairs: Sequence[tuple[Run, Timed, Timed]], esbmc: str, engine: str) -> Iterator[str]:
    """The table of all pairs, theirs and ours, and below it the sums and their ratio."""
    rows = [
        (
            run.name,
            run.phase,
            theirs.verdict or theirs.detail,
            f"{theirs.seconds:.2f}",
            ours.verdict or ours.detail,
            f"{ours.seconds:.2f}",
            f"{'>' * (not theirs.verdict)}{theirs.seconds / ours.seconds:.1f}",
        )
        for run, theirs, ours in pairs
    ]
    header = ("target", "phase", "predecessor", "s", "ours", "s", "ratio")
    yield columns(header, rows, ("left", "right", "left", "right", "left", "right", "right"))
    yield ""
    silent = sum(not theirs.verdict for _, theirs, _ in pairs)
    sums = [sum(each.seconds for each in side) for side in zip(*(pair[1:] for pair in pairs), strict=True)]
    yield (
        f"{len(pairs)} runs: predecessor {sums[0]:.1f} s with {esbmc}, {silent} without a verdict; "
        f"ours {sums[1]:.1f} s with --engine {engine}: {'more than ' if silent else ''}{sums[0] / sums[1]:.1f} times"
    )
    for run, theirs, ours in pairs:
        if _contradict(theirs, ours):
            yield f"{run.name}, phase {run.phase}: the predecessor says {theirs.verdict}, we say {ours.verdict}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lab.predecessor", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="TARGET", help="only these targets")
    parser.add_argument("--checkout", type=Path, required=True, metavar="DIR", help="the predecessor's repository")
    parser.add_argument("--program", metavar="PATH", help="where in DIR a target's program is: 'harness/{name}.py'")
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="limit of an ESBMC run (default: %(default)g)")
    parser.add_argument("--engine", default="embedded", help="engine of our runs (default: %(default)s)")
    arguments = parser.parse_args()
    if not arguments.checkout.is_dir():
        parser.error(f"{arguments.checkout} is no folder")
    arguments.checkout = arguments.checkout.resolve()
    return arguments


def _esbmc() -> Installation:
    """The ESBMC at hand. Raises `UsageError` where there is none that reads Python."""
    try:
        esbmc = locate.find()
    except locate.Unusable as error:
        raise UsageError(str(error)) from error
    if esbmc is None or not esbmc.has_python:
        raise UsageError("no ESBMC that reads Python was found: nkiverify doctor says where it is looked for")
    return esbmc


def _chosen(names: Sequence[str]) -> list[Run]:
    with RUNS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    runs = [Run(row["name"], row["phase"], tuple(row["flags"].split())) for row in rows]
    unknown = sorted(set(names) - {run.name for run in runs})
    if unknown:
        raise UsageError(f"not among the shared targets: {', '.join(unknown)}")
    return [run for run in runs if not names or run.name in names]


def _program(name: str, arguments: argparse.Namespace) -> Path:
    """The path in the checkout where a target's program is. Raises `UsageError` where several files may be it."""
    if arguments.program:
        return Path(arguments.program.replace("{name}", name))
    wanted = {f"{stem.format(name=name)}.py" for stem in _STEMS}
    inside = [path.relative_to(arguments.checkout) for path in arguments.checkout.rglob("*.py") if path.name in wanted]
    visible = [path for path in inside if not any(part.startswith(".") for part in path.parts)]
    # What is run is the harness; the kernel it calls may have the same name.
    chosen = [path for path in visible if any("harness" in part for part in path.parts)] or visible
    if len(chosen) > 1:
        several = ", ".join(map(str, sorted(chosen)))
        raise UsageError(f"the program of {name} may be {several}: --program 'DIR/{{name}}.py' says which")
    return chosen[0] if chosen else Path(f"{name}.py")


def _theirs(run: Run, program: Path, arguments: argparse.Namespace, esbmc: Installation) -> Timed:
    with tempfile.TemporaryDirectory(prefix="nkiverify-") as folder:
        # In the checkout, as its own commands do, but with temporary files elsewhere.
        command = ["env", "-C", arguments.checkout, esbmc.path, program.relative_to(arguments.checkout), *run.flags]
        finished = esbmc_process.run(command, Path(folder), arguments.seconds, memory=_MEMORY)
    report = output.read(finished, esbmc.version)
    verdict = report.conclusion.value.removeprefix("VERIFICATION ")
    if report.conclusion in (Conclusion.SUCCESSFUL, Conclusion.FAILED):
        return Timed(verdict, finished.seconds)
    return Timed("", finished.seconds, f"{verdict}: {report.detail[:60]}" if report.detail else verdict)


def _ours(run: Run, engine: str) -> Timed:
    with tempfile.TemporaryDirectory(prefix="nkiverify-") as folder:
        results = Path(folder) / "results.json"
        command = [sys.executable, "verify.py", "run", run.name, "--phase", run.phase, "--engine", engine]
        command += ["--no-cache", "--no-page", "--json", str(results)]
        started = time.monotonic()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        seconds = time.monotonic() - started
        if not results.is_file():
            return Timed("", seconds, output.last_line(done.stderr))
        (record,) = json.loads(results.read_text(encoding="utf-8"))["runs"]
    return Timed(record["verdict"], seconds)


def _contradict(theirs: Timed, ours: Timed) -> bool:
    return {theirs.verdict, ours.verdict} == {"SUCCESSFUL", "FAILED"}


if __name__ == "__main__":
    sys.exit(main())
