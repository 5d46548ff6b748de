"""Runs of the same targets alone and after others, in any order, under any hash seed: verdicts are to be the same.

    python -m lab.same [TARGET …] [--seeds 0,1,2,3] [--random N]        `make same`

Each target of the manifest, and each of N random kernels, is verified in a process of its own and in one that has
verified the others before, in another order for each hash seed. Everything that a report says of a run is compared but
its times. A line for each difference, and exit status 1 where there is any.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
#: The seed of the random kernels.
CAMPAIGN = 11
#: What is said of the time that something took, which no two runs have in common.
TIMES = ("milliseconds",)


def main() -> int:
    """Print what differs."""
    parser = argparse.ArgumentParser(prog="lab.same", description="What verdicts depend on that they should not.")
    parser.add_argument("names", nargs="*", metavar="TARGET")
    parser.add_argument("--seeds", default="0,1,2,3", help="values of PYTHONHASHSEED")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="random kernels beside the targets")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    seeds = arguments.seeds.split(",")
    if arguments.into is not None:
        _verify_all(arguments.names, arguments.random, seeds[0], arguments.into)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = [_in_a_process(arguments.names, arguments.random, seed, Path(folder)) for seed in seeds]
    told = list(_differences([runs for pair in found for runs in pair], seeds))
    count = len(found[0][0])
    print("\n".join([*told, f"{count} runs, each {2 * len(seeds)} times: {len(told)} differences"]))
    return int(bool(told))


def _in_a_process(names: Sequence[str], count: int, seed: str, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """All that is said of each run, alone and after others, in a process with this hash seed."""
    file = folder / f"{seed}.json"
    command = [sys.executable, "-m", "lab.same", *names, "--random", str(count), "--seeds", seed, "--into", str(file)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
    alone, after = json.loads(file.read_text(encoding="utf-8"))
    return alone, after


def _differences(found: Sequence[dict[str, Any]], seeds: Sequence[str]) -> Iterator[str]:
    ways = [f"{way} with seed {seed}" for seed in seeds for way in ("alone", "after others")]
    first = found[0]
    for way, other in zip(ways[1:], found[1:], strict=True):
        for run in sorted(first.keys() | other.keys()):
            for fact in sorted({**first.get(run, {}), **other.get(run, {})}):
                one, two = first.get(run, {}).get(fact), other.get(run, {}).get(fact)
                if one != two:
                    yield f"{run}: {fact}: {ways[0]} {one}, {way} {two}"


def _verify_all(names: Sequence[str], count: int, seed: str, file: Path) -> None:
    """Write what is said of each run: of each target in a child of this process, then of all in this one."""
    from lab.fuzz import MEMORY, SHAPES
    from lab.subject import Bench
    from nkiverify.project.manifest import load_targets

    with ExitStack() as stack:
        targets = [(one.name, one) for one in load_targets(ROOT) if not names or one.name in names]
        bench = Bench()
        stack.callback(bench.close)
        for number in range(count):
            for kit in (SHAPES, MEMORY):
                subject = kit.subject(number, CAMPAIGN, bench)
                if subject is not None:
                    name = f"kernel {number} of {'phases 1, 2' if kit is SHAPES else 'phases 3, 4'}"
                    targets.append((name, stack.enter_context(bench.target(subject))))
        alone: dict[str, Any] = {}
        for name, target in targets:
            alone |= _by_a_child(name, target)
        after: dict[str, Any] = {}
        random.Random(seed).shuffle(targets)
        for name, target in targets:
            after |= _said(name, target)
    file.write_text(json.dumps([alone, after]), encoding="utf-8")


def _by_a_child(name: str, target: Any) -> dict[str, Any]:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(writer, "w") as answer:
            json.dump(_said(name, target), answer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer_of:
        text = answer_of.read()
    os.waitpid(child, 0)
    found: dict[str, Any] = json.loads(text)
    return found


def _said(name: str, target: Any) -> dict[str, Any]:
    """All that a report says of each run of `target`."""
    from nkiverify.results.codec import entry
    from nkiverify.run.executors.jobs import verify_target
    from nkiverify.verify.options import PHASES, Options

    phases = tuple(PHASES) if target.name == "subject" else None
    runs = verify_target(target, Options(root=target.root, phases=phases, unhurried=True))
    found = {f"{name}, phase {run.phase}": dict(entry(run, target.root)) for run in runs}
    for one in found.values():
        for key in TIMES:
            one.pop(key, None)
    return found


if __name__ == "__main__":
    sys.exit(main())
