"""Measure how the cost of verifying grows, and write it into docs/scale.md: `make scale`. Without `--write`, only show.

Seconds are those of the processors, which a busy machine disturbs less than a clock on the wall; runs per second are
those of the wall.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.foundation import resources

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target
    from nkiverify.verify.options import Options

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "scale.md"
SECTION = "scale"

LENGTHS = (10, 100, 1000, 3000, 10_000)
#: Phases that are measured together: the first two decide claims that are stated as the kernel runs.
SHARED = ((1, 2), (3,), (4,))
#: Columns of the tiled matmul of numbers.
COLUMNS = (512, 4096, 16_384, 65_536)
#: Loops within one another; ten are more than Python has room for once they are instrumented, and UNKNOWN.
DEPTHS = (1, 2, 4, 8, 9)
#: The phases of the whole manifest that are measured: the fourth takes longer than the others together.
PHASES = "1,2,3"
#: Targets that are verified again and again in one process, and how many times each.
REPEATED = ("matmul_tiled_all", "transpose2d_all", "maxpooling_all", "avgpool_buggy", "matmul_basic_buggy")
REPETITIONS = 200
EXECUTORS = (
    ("1 core, in this process", ("--executor", "in-process")),
    ("2 worker processes", ("-j", "2")),
    ("Dask, 2 local workers", ("--executor", "dask-local", "-j", "2")),
)


def lines(folder: Path) -> Iterator[str]:
    """The section, line by line."""
    from lab import bench

    load = bench.load_average()
    rates: dict[str, float] = {}
    for part in (partial(executors, folder, rates), straight_lines, numbers, loops, repeated):
        yield from part()
        yield ""
    yield from on_paper(rates["2 worker processes"])
    yield ""
    yield f"Measured by `make scale ARGS=--write` on {bench.machine(load)}."


def executors(folder: Path, rates: dict[str, float]) -> Iterator[str]:
    """The whole manifest by each executor, whose runs a second of a processor are noted in `rates`."""
    yield f"Whole manifest, phases {PHASES}, nothing remembered, the start of the program and of the cluster included:"
    yield ""
    yield "| executor | runs | seconds | runs a second | CPU s | runs a CPU second |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, options in EXECUTORS:
        runs, seconds, busy = whole_manifest(folder, options)
        rates[name] = runs / busy
        yield f"| {name} | {runs} | {seconds:.1f} | {runs / seconds:.1f} | {busy:.1f} | {runs / busy:.1f} |"


def straight_lines() -> Iterator[str]:
    """The cost of kernels by their length."""
    from lab import bench_kernels

    yield "Straight-line kernels, on all shapes, first and second verification in a process:"
    yield ""
    yield "| operations | phases | claims | first, CPU s | again, CPU s | again, CPU ms per operation |"
    yield "|---:|---|---:|---:|---:|---:|"
    for length in LENGTHS:
        for phases in SHARED:
            claims, first, again = measured(partial(bench_kernels.straight_line, length), phases)
            named = ", ".join(map(str, phases)) + (" (not proved)" if claims is None else "")
            yield f"| {length} | {named} | {claims or ''} | {first:.2f} | {again:.2f} | {again / length * 1000:.2f} |"


def numbers() -> Iterator[str]:
    """The cost of launches of numbers by their sizes."""
    from lab import bench_kernels

    yield "Launches of numbers, the tiled matmul of 1024 rows, first and second verification in a process:"
    yield ""
    yield "| columns | phases | claims | first, CPU s | again, CPU s |"
    yield "|---:|---|---:|---:|---:|"
    for columns in COLUMNS:
        for phases in (*SHARED, (1, 2, 3, 4)):

            def make(root: Path, options: Options, columns: int = columns) -> Target:
                return bench_kernels.matmul(columns, replace(options, root=ROOT))

            claims, first, again = measured(make, phases)
            yield f"| {columns} | {', '.join(map(str, phases))} | {claims or ''} | {first:.2f} | {again:.2f} |"


def loops() -> Iterator[str]:
    """The cost of kernels by the depth of their loops."""
    from lab import bench_kernels

    yield "Loops in each other, over symbolic ranges, an instruction in each body:"
    yield ""
    yield "| depth | claims | first, CPU s | again, CPU s |"
    yield "|---:|---:|---:|---:|"
    for depth in DEPTHS:
        claims, first, again = measured(partial(bench_kernels.nested_loops, depth))
        yield f"| {depth} | {claims} | {first:.2f} | {again:.2f} |"


def repeated() -> Iterator[str]:
    """The memory of a process that goes on and on."""
    sizes = memory()
    shown = ", ".join(f"{size / 2**20:.0f}" for size in sizes)
    count = len(REPEATED) * REPETITIONS
    each = count // len(sizes)
    yield f"Memory of one process over {count} verifications, phases 1 and 2, MiB after each {each}: {shown}."


def on_paper(rate: float) -> Iterator[str]:
    """The time of a million runs at so many a second of a core."""
    from nkiverify.report.progress import duration

    needed = duration(1e6 / (100 * 2 * rate))
    yield (
        f"On paper: at {rate:.1f} runs a second of a core, 10^6 runs on 100 machines of 2 such cores take "
        f"{needed}. One Dask scheduler, about a millisecond a task by Dask's documentation, takes 17 min for as many: "
        "beyond some 20 machines give each shard (`--shard`) a scheduler of its own. The slowest target bounds every "
        "sweep from below."
    )


def whole_manifest(folder: Path, options: tuple[str, ...]) -> tuple[int, float, float]:
    """The number of runs, seconds on the wall, and seconds of the processors."""
    report = folder / "results.json"
    command = [sys.executable, "verify.py", "--no-cache", "--phase", PHASES, "--json", str(report), *options]
    begin, busy = time.perf_counter(), cpu_of_children()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.perf_counter() - begin
    return len(json.loads(report.read_text(encoding="utf-8"))["runs"]), seconds, cpu_of_children() - busy


def cpu_of_children() -> float:
    """CPU seconds of all processes below this one that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def keep_byte_code() -> None:
    """Compile what is measured, as installing it does: where Python is told to write no byte code, each process would
    compile a checkout anew."""
    for folder in ("nkiverify", "stubs"):
        compileall.compile_dir(resources.root() / folder, quiet=2)


def options_of(root: Path) -> Options:
    """Options with time enough for the longest kernel."""
    from nkiverify.verify.options import Options

    return Options(root=root, timeout=600)


def measured(
    make: Callable[[Path, Options], Target], phases: tuple[int, ...] = (1, 2)
) -> tuple[int | None, float, float]:
    """Claims of a target, None where they are not all proved, and CPU seconds of its first and second verification, in
    a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        from nkiverify.foundation.records import Verdict
        from nkiverify.verify.verifier import verify

        with tempfile.TemporaryDirectory() as folder:
            options = options_of(Path(folder))
            target = replace(make(Path(folder), options), expect=dict.fromkeys(phases, Verdict.SUCCESSFUL))
            times = [time.process_time()]
            for _ in range(2):
                runs = verify(target, options)
                times.append(time.process_time())
            proved = all(run.as_expected and not run.qualifier for run in runs)
            claims = sum(run.claims for run in runs) if proved else None
            answer = [claims, times[1] - times[0], times[2] - times[1]]
            os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer_of:
        text = answer_of.read()
    os.waitpid(child, 0)
    claims, first, again = json.loads(text)
    return claims, first, again


def memory() -> list[int]:
    """Resident bytes of a process that verifies the same targets again and again, at ten points of the way."""
    program = (
        "import sys, json; sys.path.insert(0, sys.argv[1])\n"
        "from nkiverify.verify.options import Options\n"
        "from nkiverify.run.resident_memory import resident_bytes\n"
        "from nkiverify.project.manifest_targets import load_targets\n"
        "from nkiverify.verify.verifier import verify\n"
        "import os\n"
        "from pathlib import Path\n"
        "names, rounds = json.loads(sys.argv[2]), int(sys.argv[3])\n"
        "options = Options(root=Path(sys.argv[1]), phases=(1, 2))\n"
        "targets = [target for target in load_targets(options.root) if target.name in names]\n"
        "assert len(targets) == len(names)\n"
        "for number in range(rounds):\n"
        "    for target in targets: verify(target, options)\n"
        "    if (number + 1) % (rounds // 10) == 0: print(resident_bytes(os.getpid()), flush=True)\n"
    )
    command = [sys.executable, "-c", program, str(ROOT), json.dumps(REPEATED), str(REPETITIONS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


def main(words: Sequence[str] | None = None) -> int:
    """Print the section, or with `--write` write it into docs/scale.md."""
    from lab.audit import with_measured_section

    parser = argparse.ArgumentParser(prog="python -m lab.scale", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the section into docs/scale.md as well")
    parser.add_argument("--only", choices=ALONE, help="measure this part alone, and only show it")
    arguments = parser.parse_args(words)
    if arguments.only:
        for line in ALONE[arguments.only]():
            print(line, flush=True)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for line in lines(Path(folder)):
            print(line, flush=True)
            found.append(line)
    if arguments.write:
        text = with_measured_section(PAGE.read_text(encoding="utf-8"), SECTION, "\n".join(found))
        PAGE.write_text(text, encoding="utf-8")
    return 0


#: Parts that can be measured alone.
ALONE: dict[str, Callable[[], Iterator[str]]] = {
    "straight-lines": straight_lines,
    "launches": numbers,
    "loops": loops,
    "memory": repeated,
}


if __name__ == "__main__":
    sys.exit(main())
