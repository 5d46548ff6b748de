"""`python -m lab.hostile`: try the inputs, and print how they ended."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, zip_longest
from pathlib import Path

import lab.hostile
from lab.hostile.bench import Bench, Tried
from lab.hostile.inputs import Input, inputs
from nkiverify.report.columns import columns


def campaign(chosen: Sequence[Input], bench: Bench, jobs: int, seconds: float) -> Iterator[Tried]:
    """Try those that are begun within so many seconds, several at the same time; what is late is tried once more,
    alone."""
    end = time.monotonic() + seconds
    late = []
    with ThreadPoolExecutor(jobs) as pool:
        for one in pool.map(lambda one: bench.tried(one) if time.monotonic() < end else None, chosen):
            if one is not None and one.late:
                late.append(one.input)
            elif one is not None:
                yield one
    yield from map(bench.tried, late)


def sample(known: Sequence[Input], count: int, seed: int) -> list[Input]:
    """So many of the inputs, drawn by `seed`: of each kind as many, or all where it has no more."""
    draw = random.Random(seed)
    by_kind: dict[str, list[Input]] = {}
    for one in draw.sample(known, len(known)):
        by_kind.setdefault(one.kind, []).append(one)
    rounds = zip_longest(*by_kind.values())
    return list(islice((one for some in rounds for one in some if one is not None), count))


def logged(log: Path, known: Sequence[Input]) -> list[Tried]:
    """The ends that a log of an earlier campaign has of `known` inputs."""
    by_name = {(one.kind, one.name): one for one in known}
    found = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.is_file() else ():
        entry = json.loads(line)
        one = by_name.get((entry["kind"], entry["name"]))
        if one is not None:
            found.append(Tried(one, entry["status"], entry["seconds"], tuple(entry["defects"]), entry["skipped"]))
    return found


def keep(one: Tried, log: Path) -> None:
    """Add it to the log."""
    entry = {"kind": one.input.kind, "name": one.input.name, "status": one.status, "seconds": round(one.seconds, 2)}
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**entry, "defects": one.defects, "skipped": one.skipped}) + "\n")


def table(tried: Sequence[Tried]) -> str:
    """By kind: how many inputs, how they ended, and how many not as they have to."""
    rows = []
    kinds = list(dict.fromkeys(one.input.kind for one in tried))
    for kind in [*kinds, ""]:
        those = [one for one in tried if kind in ("", one.input.kind)]
        done = [one for one in those if not one.skipped]
        statuses = Counter(one.status for one in done)
        ended = ", ".join(f"{count} with {status}" for status, count in sorted(statuses.items(), key=str))
        wrong = sum(1 for one in done if one.defects)
        rows.append((kind or "all", str(len(done)), ended, str(len(done) - wrong), str(wrong)))
    headers = ("kind", "inputs", "exit status", "as it has to be", "not")
    return columns(headers, rows, ("left", "right", "left", "right", "right"))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m lab.hostile", description=lab.hostile.__doc__)
    parser.add_argument("--kind", action="append", default=[], help="only kinds that contain this text")
    parser.add_argument("--input", default="", help="only inputs whose name contains this text; their output is shown")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth input")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="begin with this one of them (default: 0)")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, of each kind as many, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0, help="chooses the sample, and the order (default: 0)")
    parser.add_argument("--forks", action="store_true", help="fork commands from a process that has imported nkiverify")
    parser.add_argument("--log", type=Path, metavar="FILE", help="go on where this log ends, and add to it")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no input after so many")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs nkiverify")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="inputs tried at the same time")
    options = parser.parse_args(arguments)
    known = inputs()
    chosen = [one for one in known if not options.kind or any(text in one.kind for text in options.kind)]
    chosen = [one for one in chosen if options.input in one.name][options.offset :: options.every]
    if options.sample is not None:
        chosen = sample(chosen, options.sample, options.seed)
    clock = time.monotonic()
    tried = logged(options.log, known) if options.log is not None else []
    done = {(one.input.kind, one.input.name) for one in tried}
    bench = Bench(options.python, forks=options.forks)
    try:
        left = [one for one in chosen if (one.kind, one.name) not in done]
        # So that a part of them is of all kinds, and what takes long does not come at once.
        random.Random(options.seed).shuffle(left)
        for one in campaign(left, bench, options.jobs, options.seconds):
            tried.append(one)
            if options.log is not None:
                keep(one, options.log)
            _tell(one, whole=bool(options.input))
    finally:
        bench.close()
    tried.sort(key=lambda one: known.index(one.input))
    for reason, count in Counter(one.skipped for one in tried if one.skipped).items():
        print(f"not tried: {count}, {reason}")
    rest = len({(one.kind, one.name) for one in chosen} - {(one.input.kind, one.input.name) for one in tried})
    if rest:
        print(f"left: {rest}")
    version = subprocess.run([options.python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{table(tried)}\n\n{version}, {time.monotonic() - clock:.0f} s")
    return 1 if any(one.defects for one in tried) else 0


def _tell(one: Tried, *, whole: bool) -> None:
    if whole:
        print(f"{one.input.name!r}: {one.status} in {one.seconds:.1f} s\n{textwrap.indent(one.output, '    ')}")
    for defect in one.defects:
        print(f"{one.input.kind}: {one.input.name[:150]!r}: {defect}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
