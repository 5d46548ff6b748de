"""`python -m lab.recordings_command manifest|soundness|random`: both records of many kernels, compared.

Prints how many kernels were compared at how many shapes, why the others were not, and every difference. Exits 1 where
there is one. Kernels of a campaign are tried in processes of `BATCH` each, one at a time.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from lab.batches import in_batches
from lab.fuzz import moving_number
from lab.kernel_files import Concrete, HeaderError, kernel_files, read_header
from lab.portions import Portion, a_portion, in_portion
from lab.recordings import CannotCompare, differences, plain, program_of, symbolic
from lab.subject import Bench, OutOfTime, forget, time_limit
from nkiverify.engines.shapes import Shapes
from nkiverify.foundation import resources
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Program
from nkiverify.project.manifest_targets import load_targets

BATCH = 50
#: Shapes of a kernel that are compared, and that are tried for them.
SHAPES, TRIED = 3, 8
#: Items of a record that are compared, at most.
ITEMS = 20_000
#: Seconds of processor time for one execution, and for all of a kernel.
SECONDS, KERNEL_SECONDS = 20.0, 120.0

SOUNDNESS = resources.root() / "tests" / "soundness" / "kernels"


@dataclass(slots=True)
class Tally:
    """The outcome of comparing kernels: `compared` and `shapes` count, `skipped` has reasons, `different` is text."""

    compared: int = 0
    shapes: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count what another has counted as well."""
        self.compared += other.compared
        self.shapes += other.shapes
        self.skipped.update(other.skipped)
        self.different += other.different

    def compare(self, name: str, target: Target, shapes: Iterable[Mapping[str, int]] | None) -> None:
        """Compare the records of `target` at the first of `shapes` that can be; without, at small ones of its
        domain."""
        try:
            with time_limit(KERNEL_SECONDS):
                program = program_of(target, SECONDS)
                if shapes is None:
                    shapes = Shapes(program.dimensions, []).tried() if program.dimensions else [{}]
                done = self._compared(name, target, program, islice(shapes, TRIED))
        except CannotCompare as reason:
            self.skipped[f"symbolically: {reason}"] += 1
            return
        except OutOfTime:
            self.skipped["out of time"] += 1
            return
        self.compared += done > 0
        self.shapes += done

    def _compared(self, name: str, target: Target, program: Program, shapes: Iterable[Mapping[str, int]]) -> int:
        """How many of the shapes are compared."""
        done, why = 0, "no shape of those tried is in the domain"
        for values in shapes:
            try:
                other = plain(target, values, SECONDS)
                found = [] if other is None else list(differences(symbolic(program, values, ITEMS), other))
            except CannotCompare as reason:
                why = f"at a shape: {reason}"
                continue
            if other is None:
                continue
            self.different += [f"{name} {dict(values)}: {one}" for one in found]
            done += 1
            if done == SHAPES:
                break
        if not done:
            self.skipped[why] += 1
        return done


#: What compares one kernel of a campaign, by its number.
Case = Callable[[int, Tally], None]


def _manifest(portion: Portion) -> tuple[int, Case]:
    targets = [target for target in load_targets(resources.root()) if in_portion(target.name, portion)]

    def case(number: int, tally: Tally) -> None:
        tally.compare(targets[number].name, targets[number], None)

    return len(targets), case


def _soundness(portion: Portion) -> tuple[int, Case]:
    files = [path for path in kernel_files(SOUNDNESS) if in_portion(path.name, portion)]

    def case(number: int, tally: Tally) -> None:
        path = files[number]
        try:
            header = read_header(path)
            # Where it names none, small ones are found in the domain.
            concrete = Concrete.of(path, replace(header, shapes=header.shapes or {"": range(0)}))
        except (HeaderError, UsageError, ValueError) as reason:
            tally.skipped[f"no domain: {type(reason).__name__}"] += 1
            return
        tally.compare(str(path.relative_to(SOUNDNESS)), concrete.target, concrete.values if header.shapes else None)
        forget(path.parent)

    return len(files), case


def _random(count: int, seed: int) -> tuple[int, Case]:
    def case(number: int, tally: Tally) -> None:
        bench = Bench()
        try:
            subject = moving_number(number, seed, bench)
            with bench.target(subject) as target:
                tally.compare(f"random {number} of seed {seed}", target, subject.assignments())
        finally:
            bench.close()

    return count, case


def _batch(numbers: range, case: Case) -> Tally:
    # What kernels print, as some do for each index, is nobody's.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    tally = Tally()
    for number in numbers:
        case(number, tally)
    return tally


def report(total: Tally) -> str:
    """The figures of a campaign as text."""
    lines = [f"kernels compared: {total.compared}, at {total.shapes} shapes; differences: {len(total.different)}"]
    lines += [f"  {count:5d}  not compared: {why}" for why, count in total.skipped.most_common()]
    return "\n".join([*lines, *total.different])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m lab.recordings_command", description=__doc__)
    parser.add_argument("kernels", choices=("manifest", "soundness", "random"))
    parser.add_argument("--portion", type=a_portion, default=(1, 1), metavar="K/N", help="this portion of the files")
    parser.add_argument("--count", type=int, default=100, help="how many random kernels")
    parser.add_argument("--seed", type=int, default=20, help="which random kernels")
    options = parser.parse_args(arguments)
    if options.kernels == "random":
        count, case = _random(options.count, options.seed)
    else:
        count, case = (_manifest if options.kernels == "manifest" else _soundness)(options.portion)
    total = Tally()
    for batch in in_batches(range(count), BATCH, partial(_batch, case=case)):
        total.add(batch.result or Tally(skipped=Counter({"their process died": len(batch.numbers)})))
        print(f"{total.compared} compared, {len(total.different)} differences", file=sys.stderr, flush=True)
    print(report(total))
    return 1 if total.different else 0


if __name__ == "__main__":
    sys.exit(main())
