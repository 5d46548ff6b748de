"""`python -m lab.operations --count N --seed S`: definedness, one operation after another.

Kernels about one operation each (`operation_kernels`) run on all values of `n`, on marks and on the simulator, which
have to name the same undefined elements. What the sets show for all `n`, and what a search through all of them leaves
without a fault, has to be defined in both; and the simulator has to compute the same when the iterations of a loop
without an order come the other way round.
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lab.boxes import Box, proved_boxes
from lab.operation_calls import CALLS
from lab.operation_kernels import (
    COLUMNS,
    CURRENT_HEADER,
    LEGACY_HEADER,
    MOST,
    ROWS,
    Written,
    written,
)
from lab.recordings import CannotCompare, differences, plain, symbolic
from lab.subject import Bench, OutOfTime, Subject, time_limit
from nkiverify.analysis.marks.shadow import followed
from nkiverify.analysis.sets.flow import Inconclusive
from nkiverify.analysis.values.asked_kernel import contents
from nkiverify.analysis.values.cells import Cells
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.value_run import ComputedElements
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct
from nkiverify.foundation.records import Verdict
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import ConcreteElements, ConcreteExecution
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_module
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target, Verification
from nkiverify.ir.program import Program
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.dtypes import float32, uint8
from nkiverify.model.hardware import hardware_named
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed
from nkiverify.model.returned import tensors_in
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.products.simulate.simulator import undefined_elements
from nkiverify.symbolic.execution import running
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

#: Kernels in one file, which is loaded once.
BATCH = 30
#: Seconds for one kernel in all, and for one proof.
_SECONDS = 20.0
_PROOF_SECONDS = 5.0
_TOLD_EVERY = 60
#: One kernel in so many has the verdict of the whole verifier compared as well, and what the two runs record.
_WHOLE = 40
#: What breaks phase 4 and leaves the elements defined.
_UNDEFINED = {"df.read_unwritten", "df.output_written", "acc.reduce_needs_init"}

Array = npt.NDArray[Any]


@dataclass(slots=True)
class Tally:
    """The tally of a campaign: `programs` are kernels with the box of the result that they return."""

    kernels: int = 0
    programs: int = 0
    runs: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    defects: list[dict[str, object]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Take in what another campaign saw."""
        self.kernels += other.kernels
        self.programs += other.programs
        self.runs += other.runs
        self.kinds += other.kinds
        self.compared += other.compared
        self.skipped += other.skipped
        self.defects += other.defects


@dataclass(frozen=True, slots=True)
class _Seen:
    """The result of a run on one `n`: undefined elements of the whole result, by the marks and by the simulator.

    The marks have elements that may be undefined and those that are so for sure, None where they cannot be followed;
    `simulated` is None where the simulator has no values. `others` are faults that leave elements defined.
    """

    marks: Array | None
    surely: Array | None
    others: frozenset[str]
    simulated: Array | None
    values: Array | None


def domain(kernel: Written, whole: bool, v: Verification) -> None:
    """All `n`; the result has room for the `MOST` iterations, or `whole`: for those that there are."""
    n = v.dim("n", 1, MOST)
    times = kernel.times if kernel.times == 1 or not whole else n
    x, u = v.tensor("x", (ROWS, COLUMNS), float32), v.tensor("u", (ROWS, COLUMNS), uint8)
    v.call(x, u, n, times * kernel.columns)


class Campaign:
    """The kernels of one file."""

    def __init__(self, kernels: Sequence[Written], bench: Bench) -> None:
        self._kernels = kernels
        self._bench = bench

    def tally(self) -> Tally:
        """Try all of them."""
        total = Tally()
        for legacy in (False, True):
            mine = [kernel for kernel in self._kernels if kernel.call.legacy is legacy]
            header = LEGACY_HEADER if legacy else CURRENT_HEADER
            text, turned = (
                header + "".join(f"\n\n{body}" for body in bodies)
                for bodies in ([one.text for one in mine], [one.other_order for one in mine])
            )
            with (
                self._bench.target(Subject(text, "def target(v): pass", ())) as target,
                self._bench.target(Subject(turned, "def target(v): pass", ())) as other,
            ):
                plain_ones, turned_ones = Loaded(target), Loaded(other)
                for kernel in mine:
                    total.add(_tried(kernel, target, plain_ones, turned_ones))
        return total


class Loaded:
    """The plain module of a file, loaded once: kernels of the campaign keep nothing in it."""

    def __init__(self, target: Target) -> None:
        self._module, self._space = load_module("kernel.py", target.root, Rewriting.NONE)

    def call(self, kernel: Written, n: int, run: ConcreteExecution, *, whole: bool = False) -> object:
        """The result of the kernel in `run`. Raises what the kernel raises."""
        found: list[object] = []

        def call(x: Tensor, u: Tensor, *others: object) -> object:
            elements = run.elements
            if isinstance(elements, ComputedElements):
                for tensor, values in (
                    (x, np.arange(ROWS * COLUMNS) % 5 / 4 + 0.25),
                    (u, np.arange(ROWS * COLUMNS) % 2),
                ):
                    cells = Cells(elements.numbers, ROWS * COLUMNS, tensor.dtype, written=True)
                    elements.numbers.flat(cells.buffer, tensor.dtype, tensor.dtype)[...] = values
                    elements.arguments[tensor.storage.identity] = cells
            found.append(getattr(self._module, kernel.name)(x, u, *others))
            return found[-1]

        quiet = redirect_stdout(io.StringIO())
        with self._space.active(), running(run), np.errstate(all="ignore"), quiet:
            domain(kernel, whole, Verification(ConcreteBinding({"n": n}), call))
        return found[0]


def _tried(kernel: Written, target: Target, loaded: Loaded, turned: Loaded) -> Tally:
    tally = Tally()
    try:
        with time_limit(_SECONDS):
            _Trial(kernel, target, loaded, turned, tally).run()
    except OutOfTime:
        tally.skipped["time limit of the campaign"] += 1
    return tally


class _Trial:
    def __init__(self, kernel: Written, target: Target, loaded: Loaded, turned: Loaded, tally: Tally) -> None:
        self._kernel = kernel
        self._hardware = hardware_named(kernel.call.hardware)
        self._target = replace(
            target, kernel=f"kernel.py::{kernel.name}", expect={}, hardware=kernel.call.hardware,
            function=partial(domain, kernel, False),
        )  # fmt: skip
        self._loaded = loaded
        self._turned = turned
        self._tally = tally
        self._random = random.Random(kernel.text)

    def run(self) -> None:
        """Run the kernel on all `n`, and compare."""
        seen: list[_Seen] = []
        for n in range(1, MOST + 1):
            try:
                seen.append(self._seen(n))
            except (UnsupportedConstruct, ContractViolation, ValueError, TypeError, AttributeError) as error:
                self._tally.skipped[f"{self._kernel.call.name}: {str(error).splitlines()[0]}"] += 1
                return
        self._tally.kernels += 1
        self._tally.runs += MOST
        self._tally.kinds[f"{'legacy ' if self._kernel.call.legacy else ''}{self._kernel.call.name}"] += 1
        for n, one in enumerate(seen, 1):
            self._apart(n, one)
        boxes = list(self._boxes(seen))
        self._tally.programs += len(boxes)
        for box, shown in zip(boxes, self._shown(boxes), strict=True):
            self._proved(box, seen, shown=shown)
        if self._random.randrange(_WHOLE) == 0:
            self._whole(seen)

    def _defect(self, what: str, detail: str) -> None:
        self._tally.defects.append(
            {"defect": what, "call": self._kernel.call.name, "detail": detail, "kernel": self._kernel.text}
        )

    # --- concrete runs ------------------------------------------------------------------------------------------------

    def _seen(self, n: int) -> _Seen:
        """One run, which records operations while it computes them. Raises where the kernel breaks a contract."""
        array = values = None
        elements = _Recording(_Anywhere())
        run = elements.execution(self._hardware)
        try:
            array, values = _result(elements, self._loaded.call(self._kernel, n, run))
        except (UnsupportedConstruct, ContractViolation):
            # There are no values, or an index that is not defined is out of bounds.
            run = ConcreteExecution(self._hardware, stop_at_first=True, phases=SHAPE_PHASES, records=True)
            self._loaded.call(self._kernel, n, run)
        findings, outputs = followed(run.recorded, self._hardware.generation)
        # A register made of what is not defined is a fault at once, whatever comes to the result.
        at_once = frozenset(
            fault.contract
            for fault in findings.faults
            if isinstance(item := run.recorded[fault.position], Executed) and not item.operation.writes
        )
        faults = frozenset(fault.contract for fault in findings.faults)
        perhaps, surely = (None, None) if outputs is None else outputs[0]
        return _Seen(perhaps, surely, (faults - _UNDEFINED) | at_once, array, values)

    def _apart(self, n: int, seen: _Seen) -> None:
        """Where marks and the simulator say different things of one run."""
        if seen.marks is None or seen.surely is None:
            self._tally.compared["runs that marks do not follow"] += 1
        elif seen.simulated is None:
            self._tally.compared["runs without values"] += 1
        elif not seen.others:
            self._tally.compared["runs compared element by element"] += 1
            if (seen.simulated & ~seen.marks).any():
                self._defect("UNDEFINED_UNSEEN", f"n = {n}: {_places(seen.simulated & ~seen.marks)}")
            if (seen.surely & ~seen.simulated).any():
                self._defect("UNDEFINED_INVENTED", f"n = {n}: {_places(seen.surely & ~seen.simulated)}")

    # --- all n --------------------------------------------------------------------------------------------------------

    def _boxes(self, seen: Sequence[_Seen]) -> Iterator[Box]:
        """Boxes of the result: all of it, one of elements that are defined for all n, and the next larger ones."""
        choose, rows, columns = self._random, self._kernel.rows, self._kernel.columns * self._kernel.times
        undefined = np.zeros((rows, columns), bool)
        for one in seen:
            for found in (one.marks, one.simulated):
                undefined |= found if found is not None else False
        yield (0, rows, 0, columns)
        if undefined.all():
            row, column = choose.randrange(rows), choose.randrange(columns)
            yield (row, row + 1, column, column + 1)
            return
        row, column = (int(part) for part in choose.choice(np.argwhere(~undefined)))
        box = (row, row + 1, column, column + 1)
        wider = [box]
        for side in choose.sample((0, 1, 2, 3), 4):
            while True:
                parts = list(box)
                parts[side] += -1 if side in (0, 2) else 1
                larger = (parts[0], parts[1], parts[2], parts[3])
                if larger[0] < 0 or larger[1] > rows or larger[2] < 0 or larger[3] > columns:
                    break
                if undefined[_within(larger)].any():
                    wider.append(larger)
                    break
                box = larger
        yield box
        yield from wider[1:]

    def _proved(self, box: Box, seen: Sequence[_Seen], *, shown: bool) -> None:
        clean, faulty, voted = _search(seen, _within(box))
        if shown:
            self._tally.compared["programs proved"] += 1
        elif clean:
            self._tally.compared["programs that only the search decides"] += 1
        else:
            self._tally.compared["programs with a fault, or open"] += 1
        if shown and faulty:
            self._defect("UNSOUND", f"box {box}: proved, and {faulty}")
        if (shown or clean) and voted:
            self._defect("UNSOUND", f"box {box}: {'proved' if shown else 'searched'}, and {voted}")
        if shown or clean:
            self._in_any_order(box, seen)

    def _shown(self, boxes: Sequence[Box]) -> list[bool]:
        """Of which boxes the sets show all claims for all `n`, if the kernel returns them alone."""
        nothing = [False] * len(boxes)
        try:
            run = explore(self._target, self._hardware, Limits(seconds=_PROOF_SECONDS), SHAPE_PHASES | {4}).run
        except UnsupportedConstruct as limit:
            self._tally.compared[f"kernels not explored: {limit.construct}"] += 1
            return nothing
        if run.unsupported_construct is not None:
            self._tally.compared[f"kernels not explored: {run.unsupported_construct.construct}"] += 1
            return nothing
        if self._random.randrange(_WHOLE) == 0:
            self._recorded(run.program)
        try:
            return proved_boxes(run.program, self._hardware.generation, boxes, _PROOF_SECONDS)
        except Inconclusive:
            self._tally.compared["kernels without a proof"] += 1
            return nothing

    def _recorded(self, program: Program) -> None:
        """The symbolic and the concrete run record the same."""
        for n in (1, MOST):
            try:
                other = plain(self._target, {"n": n}, _SECONDS)
                found = [] if other is None else list(differences(symbolic(program, {"n": n}), other))
            except CannotCompare:
                continue
            self._tally.compared["recordings compared"] += 1
            for one in found:
                self._defect("RECORDED_DIFFERENTLY", f"n = {n}: {one}")

    def _whole(self, seen: Sequence[_Seen]) -> None:
        """The verdict of the whole verifier on as much of the result as there are iterations for says the same."""
        target = replace(self._target, function=partial(domain, self._kernel, True))
        (run,) = verify(target, Options(root=target.root, phases=(4,), timeout=_SECONDS))
        self._tally.compared[f"verdicts: {run.verdict.value}"] += 1
        clean, faulty = True, False
        for n, one in enumerate(seen, 1):
            columns = self._kernel.columns * min(n, self._kernel.times)
            here = _search([one], (slice(None), slice(0, columns)))
            clean, faulty = clean and here[0] and not here[2], faulty or bool(here[1] or here[2])
        wrong = (run.verdict is Verdict.SUCCESSFUL and faulty) or (run.verdict is Verdict.FAILED and clean)
        if wrong or run.verdict is Verdict.ERROR or (run.verdict is Verdict.FAILED and run.qualifier):
            self._defect("VERDICT", f"{run.verdict.value} {run.qualifier} {run.reason}")

    def _in_any_order(self, box: Box, seen: Sequence[_Seen]) -> None:
        """The verdict SUCCESSFUL does not depend on the order of iterations that have none."""
        if not self._kernel.other_order:
            return
        for n, one in enumerate(seen, 1):
            if one.simulated is None or one.values is None:
                continue
            elements = _Recording(_Anywhere())
            run = elements.execution(self._hardware)
            try:
                undefined, values = _result(elements, self._turned.call(self._kernel, n, run))
            except (UnsupportedConstruct, ContractViolation):
                # What the box does not have may depend on the order: an index that is not defined is out of bounds.
                continue
            self._tally.compared["runs in another order"] += 1
            same = np.array_equal(one.values[_within(box)], values[_within(box)], equal_nan=True)
            if undefined[_within(box)].any() or not same:
                self._defect("ORDER", f"box {box}, n = {n}: the other way round the result differs")


def _within(box: Box) -> tuple[slice, slice]:
    return slice(box[0], box[1]), slice(box[2], box[3])


def _search(seen: Sequence[_Seen], within: tuple[slice, slice]) -> tuple[bool, str, str]:
    """For the runs on each `n`: if they find nothing, what one finds, and what the simulator has against it."""
    faulty, voted, clean = "", "", True
    for n, one in enumerate(seen, 1):
        clean = clean and one.marks is not None and not one.marks[within].any()
        if one.others or (one.surely is not None and one.surely[within].any()):
            faulty = faulty or f"marks find {', '.join(sorted(one.others)) or 'undefined elements'} at n = {n}"
        if one.simulated is not None and one.simulated[within].any():
            voted = voted or f"undefined elements in the simulator at n = {n}"
    return clean and not faulty, faulty, voted


class _Recording(ComputedElements):
    """Elements that are computed, where operations are recorded as well."""

    def executed(self, operation: Operation) -> None:
        """Note an operation, and compute it."""
        ConcreteElements.executed(self, operation)
        super().executed(operation)

    def allocated(self, made: Storage) -> None:
        """Note an allocation."""
        ConcreteElements.allocated(self, made)
        super().allocated(made)

    def returned(self, *programs: tuple[Tensor, ...], by_parameter: bool = False) -> None:
        """Note what is returned."""
        ConcreteElements.returned(self, *programs, by_parameter=by_parameter)
        super().returned(*programs, by_parameter=by_parameter)


class _Anywhere(Floats):
    """Numbers for which all functions are defined: values outside of a documented range are not the subject."""

    def out_of_range(self, name: str, x: Array) -> Array | None:
        """Nowhere."""
        return None


def _result(elements: _Recording, returned: object) -> tuple[Array, Array]:
    """The elements of the result that the simulator calls undefined, and their values."""
    (tensor,) = tensors_in(returned)
    return undefined_elements(elements, tensor), contents(elements, tensor)[0][0]


def _places(found: Array) -> str:
    places = np.argwhere(found).tolist()
    return f"{len(places)} elements, {places[:4]}"


def _batch(task: tuple[int, int, int, tuple[int, ...]]) -> Tally:
    first, last, seed, chosen = task
    calls = tuple(CALLS[number] for number in chosen)
    bench = Bench()
    try:
        return Campaign([written(number, seed, calls) for number in range(first, last)], bench).tally()
    finally:
        bench.close()


def campaign(first: int, count: int, seed: int, jobs: int, names: Sequence[str] = ()) -> Iterator[Tally]:
    """Kernels `first` to `first + count` of the campaign of `seed`, some at a time; of operations of these names."""
    chosen = tuple(number for number, call in enumerate(CALLS) if not names or call.name in names)
    tasks = [(start, min(start + BATCH, first + count), seed, chosen) for start in range(first, first + count, BATCH)]
    if jobs == 1:
        yield from map(_batch, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=10) as pool:
        yield from pool.imap_unordered(_batch, tasks)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a campaign; 1 where there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m lab.operations", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="kernels to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--name", action="append", default=[], help="an operation: only these")
    parser.add_argument("--defects", help="a file for the defects, one JSON object a line")
    parser.add_argument("--stop", action="store_true", help="stop at the first defect")
    options = parser.parse_args(argv)
    began, total = time.monotonic(), Tally()
    told = began
    for tally in campaign(options.first, options.count, options.seed, options.jobs, options.name):
        total.add(tally)
        for defect in tally.defects:
            print(f"{defect['defect']}: {defect['call']}: {defect['detail']}\n{defect['kernel']}", flush=True)
            if options.defects:
                with Path(options.defects).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(defect) + "\n")
        if options.stop and total.defects:
            break
        if time.monotonic() - told > _TOLD_EVERY:
            told = time.monotonic()
            print(f"{total.programs} programs, {len(total.defects)} defects", file=sys.stderr, flush=True)
    _report(total, time.monotonic() - began)
    return 1 if total.defects else 0


def _report(total: Tally, seconds: float) -> None:
    print(f"{total.programs} programs: {total.kernels} kernels of {len(total.kinds)} operations, {total.runs} runs")
    print(f"{seconds:.0f} s, {total.programs / max(seconds, 0.01):.0f} programs a second")
    for text, number in sorted(total.compared.items()):
        print(f"  {number:8} {text}")
    print(f"  {sum(total.skipped.values()):8} kernels not tried:")
    for text, number in total.skipped.most_common(40):
        print(f"  {number:8}   {text}")
    for kind, number in Counter(str(defect["defect"]) for defect in total.defects).items():
        print(f"{number:8} {kind}")
    print(f"{len(total.defects)} defects")


if __name__ == "__main__":
    sys.exit(main())
