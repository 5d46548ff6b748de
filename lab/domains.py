"""`python -m lab.domains --count N --seed S`: derived domains of random kernels against concrete runs of their shapes.

The kernels are those of the campaign about phases 3 and 4, with asserts of their own about their sizes, some of which
`--where` cannot say. What `check` says of each is compared with shapes drawn at random, tile sizes and their neighbours
above all: where it is called legal, no shape of the domain that is printed may fail, and none may be rejected by the
kernel unless a condition that the kernel checks itself is printed as it stands there.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lab.buffers import moving_subject
from lab.subject import Bench, OutOfTime, Subject, time_limit
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import hardware_named
from nkiverify.project.legality import answer
from nkiverify.project.request import request
from nkiverify.results.answers import Answer
from nkiverify.verify.derive.runs import Kind, Shown, shown
from nkiverify.verify.options import Options

#: Seconds for what is said of one kernel, for one shape, and for one kernel in all.
_DERIVE_SECONDS, _SHAPE_SECONDS, _KERNEL_SECONDS = 20.0, 3.0, 60.0
#: Shapes of the domain that are run, and sizes that are drawn from.
_SHAPES = 40
_SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 129, 160, 256)
_HARDWARE = "trn2"

#: Asserts of kernels, most of which are no conditions of `--where`.
ASSERTS = (
    "assert R <= 128",
    "assert C % 2 == 0",
    "assert R in (1, 2, 3, 32, 64, 128)",
    "assert C % 3 == 0 or C <= 4",
    "assert any(C == k * k for k in range(1, 12))",
    "assert allowed(C), 'not allowed'",
    "assert not (C == 6 or R == 4)",
    "assert R <= C or C % 2",
    "assert (C - 1) % 3 != 0 or R > 3",
    "assert min(R, C) != 2",
    "assert len([d for d in (2, 3, 5) if C % d == 0]) <= 1",
    "if C % 5 == 3:\n        raise ValueError('no')",
)
_HELPER = """
def allowed(n):
    return n % 3 != 1 or n == 7


"""


@dataclass(slots=True)
class Tally:
    """The tally of a campaign."""

    kernels: int = 0
    shapes: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    defects: list[str] = field(default_factory=list)


def subject_of(number: int, seed: int) -> Subject:
    """Kernel `number` of the campaign of `seed`."""
    source = random.Random(f"{seed}/{number}")
    made = moving_subject(source)
    head, _, body = made.kernel.partition("    R, C = x.shape\n")
    asserts = source.sample(ASSERTS, source.choice((0, 1, 1, 2)))
    lines = "".join(f"    {one}\n" for one in asserts)
    before, mark, rest = head.rpartition("@nki.jit") if "@nki.jit" in head else head.rpartition("def kernel")
    return Subject(f"{before}{_HELPER}{mark}{rest}    R, C = x.shape\n{lines}{body}", "", made.axes)


def tried(subject: Subject, bench: Bench, tally: Tally) -> None:
    """Say for which shapes a kernel is legal, and run some of them. Raises `OutOfTime`."""
    with bench.target(Subject(subject.kernel, "def target(v): pass", ())) as place, time_limit(_KERNEL_SECONDS):
        options = Options(root=place.root, timeout=_DERIVE_SECONDS, engine="embedded")
        try:
            said = answer("kernel.py::kernel", place.root, (), (), None, _HARDWARE, options)
        except UsageError as error:
            tally.answers[f"usage: {error}"] += 1
            return
        derived = said.derived
        if derived is None or not derived.proved:
            tally.answers["not proved"] += 1
            return
        tally.answers["legal"] += 1
        own = any(one.verbatim for one in derived.preconditions)
        for run in _runs(said, place):
            tally.shapes += 1
            if run.kind is Kind.FAILS or (run.kind is Kind.REJECTED and not own):
                rule = run.rule.id if run.rule is not None else ""
                printed = ", ".join(one.text for one in (*derived.preconditions, *derived.limits))
                wrong = f"legal where {printed}, and {run.values} {run.kind.value}: {rule}"
                tally.defects.append(f"{wrong}\n{subject.kernel}")
                return


def _runs(said: Answer, place: Target) -> Iterator[Shown]:
    """Shapes of the domain, run."""
    assert said.derived is not None
    asked = request("kernel.py::kernel", place.root, said.arguments, said.derived.where, said.grid or None)
    target = asked.target(_HARDWARE, False)
    shapes = list(itertools.product(_SIZES, repeat=2))
    random.Random(0).shuffle(shapes)
    found = 0
    for rows, columns in shapes:
        run = shown(target, {"R": rows, "C": columns}, hardware_named(_HARDWARE), _SHAPE_SECONDS)
        if run.kind is Kind.OUTSIDE:
            continue
        yield run
        found += 1
        if found == _SHAPES:
            return


def campaign(numbers: Sequence[int], seed: int) -> Iterator[Tally]:
    """The kernels of these numbers, one after the other: what has been seen so far."""
    tally, bench = Tally(), Bench()
    try:
        for number in numbers:
            tally.kernels += 1
            try:
                tried(subject_of(number, seed), bench, tally)
            except OutOfTime:
                tally.answers["time limit of the campaign"] += 1
            yield tally
    finally:
        bench.close()


def main(argv: Sequence[str] | None = None) -> int:
    """Run a campaign; 1 where there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m lab.domains", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="kernels to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    options = parser.parse_args(argv)
    began, told, tally = time.monotonic(), 0, Tally()
    for tally in campaign(range(options.first, options.first + options.count), options.seed):
        for defect in tally.defects[told:]:
            print(defect, flush=True)
        told = len(tally.defects)
    print(f"{tally.kernels} kernels, {tally.shapes} shapes of their domains, {time.monotonic() - began:.0f} s")
    for text, number in tally.answers.most_common():
        print(f"  {number:6} {text}")
    print(f"{len(tally.defects)} defects")
    return 1 if tally.defects else 0


if __name__ == "__main__":
    sys.exit(main())
