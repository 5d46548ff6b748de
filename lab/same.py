"""Runs of the same targets alone and after others, under any hash seed and load: verdicts are to be the same.

    python -m lab.same [TARGET …] [--seeds 0,1,2,3] [--loads 0,16] [--random N]        `make same`

Each target of the manifest, and each of N random kernels, is verified in a process of its own and in one that has
verified the others before, in another order for each hash seed. Everything that a report says of a run is compared but
its times. A line for each difference, and exit status 1 where there is any.

The seeds have the loads in turn: `--seeds 0,0,1,1` tries each of two seeds under both. With a load of 16 all clocks of
the process, that of its processor time as well, go 17 times as fast: sixteen processes beside it on one core cannot do
more to it. Every verdict has to come in the time that is left, and by the same way.

With `--answers FOLDER --portion 1/4` it takes every fourth target and kernel, and leaves what was said of them in the
folder, by seed, load, and portion: what is there is not asked again, and compared.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pickle
import pkgutil
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.subject import Subject
    from nkiverify.frontend.target import Target

ROOT = Path(__file__).resolve().parent.parent
#: The seed of the random kernels.
CAMPAIGN = 11
#: What is said of the time that something took, which no two runs have in common.
TIMES = ("milliseconds",)


#: The clocks that limits of time go by. Dates of files are compared with another.
CLOCKS = ("monotonic", "perf_counter", "process_time")


def main() -> int:
    """Print what differs."""
    parser = argparse.ArgumentParser(prog="lab.same", description="What verdicts depend on that they should not.")
    parser.add_argument("names", nargs="*", metavar="TARGET")
    parser.add_argument("--seeds", default="0,1,2,3", help="values of PYTHONHASHSEED")
    parser.add_argument("--loads", default="0,16", help="loads, of the seeds in turn")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="random kernels beside the targets")
    parser.add_argument("--portion", default="1/1", metavar="I/N", help="every Nth target and kernel, from the Ith on")
    parser.add_argument("--answers", type=Path, metavar="FOLDER", help="where answers are kept, and taken from")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--kernels", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.into is not None:
        _go_faster(1 + float(arguments.loads))
        _verify_all(arguments.names, arguments.kernels, arguments.seeds, arguments.into)
        return 0
    first, step = map(int, arguments.portion.split("/"))
    found: list[dict[str, Any]] = []
    ways = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        answers = arguments.answers or folder
        answers.mkdir(exist_ok=True)
        names = _names(arguments.names)[first - 1 :: step]
        kernels = answers / f"kernels-portion-{first}-of-{step}"
        for seed, load in zip(arguments.seeds.split(","), cycle(arguments.loads.split(","))):
            file = answers / f"seed-{seed}-load-{load}-portion-{first}-of-{step}.json"
            if not file.exists():
                if not kernels.exists():
                    kernels.write_bytes(pickle.dumps(_kernels(range(first - 1, arguments.random, step))))
                _in_a_process(names, kernels, seed, load, file)
            found += json.loads(file.read_text(encoding="utf-8"))
            ways += [f"{way} with seed {seed}, load {load}" for way in ("alone", "after others")]
    told = list(_differences(found, ways))
    print("\n".join([*told, f"{len(found[0])} runs, each {len(ways)} times: {len(told)} differences"]))
    return int(bool(told))


def _names(wanted: Sequence[str]) -> list[str]:
    from nkiverify.project.manifest_targets import load_targets

    return [one.name for one in load_targets(ROOT) if not wanted or one.name in wanted]


def _kernels(numbers: Sequence[int]) -> dict[str, Subject]:
    """The random kernels of these numbers, by what they are called: made once, which takes longer than verifying."""
    from lab.fuzz import MEMORY, SHAPES
    from lab.subject import Bench

    bench = Bench()
    try:
        made = {
            f"kernel {number} of {phases}": kit.subject(number, CAMPAIGN, bench)
            for number in numbers
            for kit, phases in ((SHAPES, "phases 1, 2"), (MEMORY, "phases 3, 4"))
        }
    finally:
        bench.close()
    return {name: subject for name, subject in made.items() if subject is not None}


def _in_a_process(names: Sequence[str], kernels: Path, seed: str, load: str, file: Path) -> None:
    """Write all that is said of each run, alone and after others, in a process with this hash seed under this load."""
    command = [sys.executable, "-m", "lab.same", *names, "--seeds", seed, "--loads", load]
    command += ["--into", str(file), "--kernels", str(kernels)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONHASHSEED": seed})


def _go_faster(times: float) -> None:
    """Let all clocks of this process go so many times as fast."""

    def faster(clock: Callable[[], float]) -> Callable[[], float]:
        return lambda: clock() * times

    if times != 1:
        for name in CLOCKS:
            setattr(time, name, faster(getattr(time, name)))


def _differences(found: Sequence[dict[str, Any]], ways: Sequence[str]) -> Iterator[str]:
    first = found[0]
    for way, other in zip(ways[1:], found[1:], strict=True):
        for run in sorted(first.keys() | other.keys()):
            for fact in sorted({**first.get(run, {}), **other.get(run, {})}):
                one, two = first.get(run, {}).get(fact), other.get(run, {}).get(fact)
                if one != two:
                    yield f"{run}: {fact}: {ways[0]} {one}, {way} {two}"


def _verify_all(names: Sequence[str], made: Path, seed: str, file: Path) -> None:
    """Write what is said of each run: of each target in a child of this process, then of all in this one."""
    from lab.subject import Bench
    from nkiverify.cli.main import rarely_collected
    from nkiverify.project.manifest_targets import load_targets

    rarely_collected()
    kernels: dict[str, Subject] = pickle.loads(made.read_bytes())
    with ExitStack() as stack:
        wanted = set(names)
        targets = [(one.name, one) for one in load_targets(ROOT) if one.name in wanted]
        bench = Bench()
        stack.callback(bench.close)
        targets += [(name, stack.enter_context(bench.target(kernel))) for name, kernel in kernels.items()]
        _load()
        alone: dict[str, Any] = {}
        for name, target in targets:
            alone |= _by_a_child(name, target)
        after: dict[str, Any] = {}
        random.Random(seed).shuffle(targets)
        for name, target in targets:
            after |= _said(name, target)
    file.write_text(json.dumps([alone, after]), encoding="utf-8")


def _load() -> None:
    """Import here what every child would import for itself."""
    import islpy  # noqa: F401
    import z3  # noqa: F401

    import nkiverify

    for package in ("analysis", "engines", "frontend", "phases", "results", "symbolic", "verify"):
        path = [f"{nkiverify.__path__[0]}/{package}"]
        for module in pkgutil.walk_packages(path, f"nkiverify.{package}."):
            importlib.import_module(module.name)


def _by_a_child(name: str, target: Target) -> dict[str, Any]:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        # Nothing of what the parent would do comes after it, whatever is raised.
        try:
            with os.fdopen(writer, "w") as answer:
                json.dump(_said(name, target), answer)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader) as answer_of:
        text = answer_of.read()
    _, status = os.waitpid(child, 0)
    if status:
        return {name: {"status of its process": status}}
    found: dict[str, Any] = json.loads(text)
    return found


def _said(name: str, target: Target) -> dict[str, Any]:
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
