"""`python -m lab.first_contact`: what `nkiverify check FILE` takes for each kernel of the corpus of first contact.

The corpus is tests/first_contact/kernels: each kernel says the domain that was derived by hand, and has a line with a
bug beside it. It is checked as it is and with its bug, with nothing told, each time in a process of its own.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import bench
from lab.scale import cpu_of_children, keep_byte_code
from nkiverify.foundation import resources
from nkiverify.foundation.allowed import NOTHING
from nkiverify.report.columns import columns
from nkiverify.run.confinement import Confinement
from nkiverify.run.supervisor import in_child

FOLDER = resources.root() / "tests" / "first_contact" / "kernels"

#: The slowest of which are shown.
_SHOWN = 10
#: Processes that are started to tell what one takes.
_STARTS = 15

_BUG = re.compile(r"^\s*# bug: (.*)$")


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel file: the `domain` that was derived by hand, the file with its bug, and the lines one of which is to be
    named for it."""

    name: str
    text: str
    domain: frozenset[str]
    limits: frozenset[str]
    #: Whether it is enough that phase 4 is proved within bounds.
    bounded: bool
    wrong: str
    lines: frozenset[int]

    @staticmethod
    def read(file: Path) -> Case:
        """The case in `file`.

        `# bug: TEXT` stands above the line that TEXT takes the place of; `# here` ends a line at which the bug may be
        reported instead, where it shows elsewhere.
        """
        lines = file.read_text(encoding="utf-8").splitlines()
        domain = next(line.removeprefix("# legal:").strip() for line in lines if line.startswith("# legal:"))
        bounds = next((line.removeprefix("# limits:") for line in lines if line.startswith("# limits:")), "")
        at = next(number for number, line in enumerate(lines) if _BUG.match(line))
        found = _BUG.match(lines[at])
        assert found is not None
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        wrong = [*lines]
        wrong[at + 1] = indent + found.group(1)
        here = {number + 1 for number, line in enumerate(lines) if line.endswith("# here")}
        conditions = frozenset() if domain == "all" else frozenset(part.strip() for part in domain.split(", "))
        right, buggy = ("\n".join(text) + "\n" for text in (lines, wrong))
        limits = frozenset(part.strip() for part in bounds.split(", ") if part)
        return Case(file.stem, right, conditions, limits, "# bounded" in lines, buggy, frozenset(here or {at + 2}))


def cases() -> list[Case]:
    """All of them."""
    return [Case.read(file) for file in sorted(FOLDER.glob("*.py"))]


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of the wall's clock and of processor time that a check took, and the exit status it ended with."""

    name: str
    wall: float
    processor: float
    status: int


def cost(name: str, text: str) -> Cost:
    """The cost of a check of a file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernel.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "nkiverify", "check", "kernel.py"]
        environment = {**os.environ, "PYTHONPATH": str(resources.root())}
        before, begin = cpu_of_children(), time.perf_counter()
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        return Cost(name, time.perf_counter() - begin, cpu_of_children() - before, done.returncode)


def start_of_child() -> float:
    """Milliseconds that a process for a kernel takes, from one that has loaded what `check` loads: the median."""
    importlib.import_module("nkiverify.verify.verifier")
    confinement, found = Confinement.of(NOTHING), []
    for _ in range(_STARTS):
        begin = time.perf_counter()
        in_child("nothing", lambda: None, 10.0, confinement)
        found.append(1000 * (time.perf_counter() - begin))
    return statistics.median(found)


def main(words: Sequence[str] | None = None) -> int:
    """Measure what the words ask for, and print it."""
    parser = argparse.ArgumentParser(prog="python -m lab.first_contact", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels of the corpus (default: all)")
    wanted = parser.parse_args(words).names
    known = cases()
    unknown = set(wanted) - {case.name for case in known}
    if unknown:
        parser.error(f"there is no kernel {', '.join(sorted(unknown))} in {FOLDER}")
    chosen = [case for case in known if not wanted or case.name in wanted]
    keep_byte_code()
    load = bench.load_average()
    pairs = [(cost(case.name, case.text), cost(f"{case.name}, with its bug", case.wrong)) for case in chosen]
    right, wrong = zip(*pairs, strict=True)
    print("\n".join([*_told(right, wrong), bench.machine(load)]))
    return 0


def _told(right: Sequence[Cost], wrong: Sequence[Cost]) -> Iterator[str]:
    slowest = sorted([*right, *wrong], key=lambda one: -one.wall)[:_SHOWN]
    rows = [(one.name, f"{one.wall:.2f}", f"{one.processor:.2f}", str(one.status)) for one in slowest]
    yield columns(("slowest", "s", "processor s", "status"), rows, ("left", "right", "right", "right"))
    for title, found in (("right", right), ("with its bug", wrong), ("together", [*right, *wrong])):
        wall, processor = ([getattr(one, field) for one in found] for field in ("wall", "processor"))
        yield (
            f"{title}: {len(found)} checks, median {statistics.median(wall):.2f} s, at most {max(wall):.2f} s;"
            f" processor time: median {statistics.median(processor):.2f} s, at most {max(processor):.2f} s"
        )
    yield f"the process for a kernel: {start_of_child():.1f} ms"


if __name__ == "__main__":
    sys.exit(main())
