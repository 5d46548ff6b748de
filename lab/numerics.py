"""Random kernels on ranges, and on inputs of these ranges: no number may be outside of what ranges say of it.

A kernel is a chain of operations on tiles of 128 by 13. It is run once on ranges; then inputs are run in the simulator,
and every element that any operation writes is compared with its interval. With `--faults` errors are put into the
arithmetic of intervals, one after the other, and each has to be noticed. With `--sizes` tiles are of any size, and the
walk for all sizes is compared with runs of a few; every other kernel has a loop that carries numbers.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from nkiverify.analysis.ranges import family_numbers, growth, operators
from nkiverify.analysis.ranges import walk as walk_module
from nkiverify.analysis.ranges.arithmetic import MINUS, PLUS, Parts, stacked
from nkiverify.analysis.ranges.family_numbers import Families
from nkiverify.analysis.ranges.functions import FUNCTIONS, Course, Function
from nkiverify.analysis.ranges.intervals import Intervals
from nkiverify.analysis.ranges.operators import IntervalOperators
from nkiverify.analysis.ranges.relations import FamilyRelations, Relations
from nkiverify.analysis.ranges.run import Limits, WatchedRun
from nkiverify.analysis.ranges.walk import FamilyWalk
from nkiverify.analysis.values.formats import Array, widened
from nkiverify.foundation import resources
from nkiverify.foundation.source import Site
from nkiverify.frontend.paths import Limits as PathLimits
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import Hardware, hardware_named
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed
from nkiverify.model.tensor import Storage
from nkiverify.phases.numerics.search import Inputs, inputs
from nkiverify.phases.numerics.trial import Trial, asked_range, on_inputs, on_ranges
from nkiverify.project.manifest import load_targets
from nkiverify.project.request import request
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

_UNARY = (
    "exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "sigmoid", "softplus", "erf", "relu", "sign", "abs", "square",
    "silu", "gelu", "gelu_apprx_tanh", "gelu_apprx_sigmoid", "mish", "silu_dx", "gelu_dx", "erf_dx", "copy",
)  # fmt: skip
_BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "greater", "less_equal", "equal", "power")
_DTYPES = ("nl.float32", "nl.float32", "nl.bfloat16", "nl.float16", "nl.float8_e4m3", "nl.int32", "nl.int8")
_RANGES = (
    (-1.0, 1.0), (0.0, 1.0), (-10.0, 10.0), (0.5, 4.0), (-100.0, -1.0), (-1e4, 1e4), (-3e38, 3e38), (2.0, 2.0),
    (0.1, 0.1),
)  # fmt: skip
_LIMITS = Limits(60.0, 10_000_000)
#: Inputs that the rows of an input are taken from, besides the plain ones.
_MIXED = 6

_HEAD = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, y):
    P, F = x.shape
    out = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.shared_hbm)
"""


@dataclass(slots=True)
class _Written:
    """The elements of every operand that operations wrote, in order: arrays of a run, with the operation's name."""

    elements: list[tuple[str, Site | None, str, Array]]

    def watch(self, run: WatchedRun) -> None:
        """Keep what `run` writes."""

        def wrote(operation: Operation, site: Site | None) -> None:
            for name, view, found in run.written(operation):
                if not isinstance(run.numbers, Intervals):
                    found = widened(found[0], view.dtype) if not view.dtype.is_integer else found[0]
                self.elements.append((operation.name, site, name, found.astype(np.float64)))

        run.wrote = wrote


@dataclass(slots=True)
class _Rows:
    """Inputs whose rows are of all kinds: where rows go through a kernel apart, as many inputs as there are rows."""

    seed: int

    def fill(self, storage: Storage) -> Array:
        """The elements of an argument."""
        random = np.random.default_rng((self.seed, len(storage.name), ord(storage.name[-1])))
        kinds = [choice.fill(storage) for choice in inputs(_MIXED, self.seed)]
        chosen = random.integers(len(kinds), size=int(storage.shape[0]))
        return np.stack([kinds[kind][row] for row, kind in enumerate(chosen)])

    def __str__(self) -> str:
        return f"rows of all kinds, seed {self.seed}"


def choices(most: int) -> Iterator[Inputs | _Rows]:
    """So many inputs: the plain ones, and then such as have rows of all kinds."""
    yield from islice(inputs(0), most)
    yield from (_Rows(100 * seed) for seed in range(max(0, most - len(list(inputs(0))))))


def generated(chance: random.Random) -> str:
    """The text of a random kernel."""
    lines, tiles = [_HEAD], []

    def tile(dtype: str, columns: str = "F") -> str:
        name = f"t{len(lines)}"
        lines.append(f"    {name} = nl.ndarray((P, {columns}), dtype={dtype}, buffer=nl.sbuf)\n")
        return name

    for name in ("x", "y"):
        made = tile(f"{name}.dtype")
        lines.append(f"    nisa.dma_copy(dst={made}, src={name})\n")
        tiles.append(made)
    columns: list[str] = []
    for _ in range(chance.randint(1, 7)):
        _step(chance, lines, tiles, columns, tile)
    # The sum of an input, which a range of one number leaves nothing but its rounding.
    total = tile("nl.float32", "1")
    lines.append(f"    nisa.tensor_reduce(dst={total}, op=nl.add, data={tiles[chance.randrange(2)]}, axis=1)\n")
    last = tile("nl.float32")
    lines.append(f"    nisa.tensor_copy(dst={last}, src={tiles[-1]})\n")
    lines.append(f"    nisa.dma_copy(dst=out, src={last})\n    return out\n")
    return "".join(lines)


def _step(
    chance: random.Random,
    lines: list[str],
    tiles: list[str],
    columns: list[str],
    tile: object,
    *,
    products: bool = True,
) -> None:
    assert callable(tile)
    source = chance.choice(tiles[-3:])
    dtype = chance.choice(_DTYPES)
    constant = chance.choice((0.5, 2.0, -1.0, 3.0, 1e-6, 0.0, -0.25, 7.0))
    kind = chance.choice(
        ("unary", "unary", "binary", "scalar", "reduce", "centred", "exponential", "matmul", "scaled", "select", "cast")
    )
    kind = "unary" if kind == "matmul" and not products else kind
    if kind == "unary":
        made = tile(dtype)
        lines.append(
            f"    nisa.activation(dst={made}, op=nl.{chance.choice(_UNARY)}, data={source}, scale={constant})\n"
        )
    elif kind == "binary":
        made = tile(dtype)
        other = chance.choice(tiles)
        op = chance.choice(_BINARY)
        lines.append(f"    nisa.tensor_tensor(dst={made}, data1={source}, data2={other}, op=nl.{op})\n")
    elif kind in ("scalar", "scaled"):
        made = tile(dtype)
        op = chance.choice(("add", "subtract", "multiply", "maximum", "minimum", "greater"))
        operand = chance.choice(columns) if kind == "scaled" and columns else str(constant)
        reverse = chance.choice(("True", "False"))
        lines.append(
            f"    nisa.tensor_scalar(dst={made}, data={source}, op0=nl.{op}, operand0={operand}, reverse0={reverse})\n"
        )
    elif kind == "reduce":
        column = tile("nl.float32", "1")
        op, negate = chance.choice(("add", "maximum", "minimum", "maximum")), chance.choice(("True", "False"))
        lines.append(f"    nisa.tensor_reduce(dst={column}, op=nl.{op}, data={source}, axis=1, negate={negate})\n")
        columns.append(column)
        return
    elif kind == "centred":
        column, made = tile("nl.float32", "1"), tile("nl.float32")
        lines.append(f"    nisa.tensor_reduce(dst={column}, op=nl.maximum, data={source}, axis=1)\n")
        lines.append(
            f"    nisa.tensor_scalar(dst={made}, data={source}, op0=nl.subtract, operand0={column}, "
            f"op1=nl.multiply, operand1={chance.choice((1.0, 0.5, 3.0))})\n"
        )
        columns.append(column)
    elif kind == "exponential":
        column, made = tile("nl.float32", "1"), tile(chance.choice(("nl.float32", "nl.bfloat16")))
        lines.append(
            f"    nisa.activation_reduce(dst={made}, op=nl.exp, data={source}, reduce_op=nl.add, reduce_res={column})\n"
        )
        columns.append(column)
    elif kind == "matmul":
        made, left, right = tile("nl.float32"), tile("nl.bfloat16"), tile("nl.bfloat16")
        product = f"p{len(lines)}"
        lines.append(f"    {product} = nl.ndarray((F, F), dtype=nl.float32, buffer=nl.psum)\n")
        lines.append(f"    nisa.tensor_copy(dst={left}, src={source})\n")
        lines.append(f"    nisa.tensor_copy(dst={right}, src={chance.choice(tiles)})\n")
        lines.append(f"    nisa.nc_matmul(dst={product}, stationary={left}, moving={right})\n")
        lines.append(f"    nisa.tensor_copy(dst={made}, src={product}[0:P, 0:F])\n")
    elif kind == "select":
        made, holds = tile("nl.float32"), tile("nl.uint8")
        lines.append(
            f"    nisa.tensor_scalar(dst={holds}, data={source}, op0=nl.greater, operand0={constant})\n"
            f"    nisa.tensor_copy(dst={made}, src={chance.choice(tiles)})\n"
            f"    nisa.tensor_copy_predicated(dst={made}, src={source}, predicate={holds})\n"
        )
    else:
        made = tile(dtype)
        lines.append(f"    nisa.tensor_copy(dst={made}, src={source})\n")
    tiles.append(made)


def outside(ranges: _Written, numbers: _Written) -> Iterator[str]:
    """The numbers that are not where ranges say: one text for each operand."""
    for (name, site, operand, bounds), (other, _, _, values) in zip(ranges.elements, numbers.elements, strict=False):
        if name != other:
            yield f"{site}: {name} here, {other} there"
            return
        low, high, flags = bounds[0], bounds[1], bounds[2].astype(int)
        inside = (values >= low) & (values <= high)
        inside |= (values == np.inf) & ((flags & PLUS) > 0) | (values == -np.inf) & ((flags & MINUS) > 0)
        inside |= np.isnan(low)
        if not inside.all():
            at = tuple(int(part) for part in np.argwhere(~inside)[0])
            yield f"{site}: {operand} of {name} is {values[at]!r} at {at}, not in {low[at]!r}..{high[at]!r}"


def differences(target: Target, hardware: Hardware, most: int) -> list[str]:
    """The faults that `most` inputs of a target's ranges show, and its ranges rule out."""
    expected = _Written([])
    trial = on_ranges(target, {}, hardware, _LIMITS, told=expected.watch)
    return [] if trial.unusable else _shown(target, hardware, expected, trial, most)


def _shown(target: Target, hardware: Hardware, expected: _Written, trial: Trial, most: int) -> list[str]:
    found: list[str] = []
    for choice in choices(most):
        seen = _Written([])
        course = on_inputs(target, {}, hardware, _LIMITS, choice.fill, told=seen.watch)
        found += [f"{text}; {choice}" for text in outside(expected, seen)]
        known = {finding.site for finding in trial.findings} | {site for _, site in trial.unfollowed}
        # After the first fault anything may follow from it.
        first = course.findings[0] if course.findings else None
        if first is not None and first.site not in known and not trial.unfollowed and not trial.findings:
            found.append(f"{first.site}: {first}, which ranges rule out; {choice}")
        if found:
            break
    return found


# --- all sizes --------------------------------------------------------------------------------------------------------

_SHAPES = ({"P": 128, "F": 13}, {"P": 1, "F": 4}, {"P": 3, "F": 40})
_CARRIED = (
    "nisa.tensor_tensor(dst={state}, data1={state}, data2={column}, op=nl.{op})",
    "nisa.tensor_tensor(dst={state}, data1={column}, data2={state}, op=nl.{op})",
    "nisa.tensor_scalar(dst={state}, data={state}, op0=nl.multiply, operand0=0.9, op1=nl.add, operand1={column})",
    "nisa.tensor_scalar(dst={state}, data={state}, op0=nl.multiply, operand0={column}, op1=nl.{op}, operand1=0.5)",
    "nisa.activation(dst={state}, op=nl.tanh, data={state}, bias={column})",
    "nisa.tensor_scalar(dst={state}, data={column}, op0=nl.subtract, operand0={state}, op1=nl.multiply, operand1=0.5)",
)


def looped(chance: random.Random) -> str:
    """The text of a random kernel whose loop goes through the columns of x, four at a time, and carries numbers."""
    lines, tiles = [_HEAD], []
    columns: list[str] = []
    kept = chance.choice(("nl.float32", "nl.float32", "nl.bfloat16", "nl.float16"))
    for state in ("first", "second"):
        lines.append(f"    {state} = nl.ndarray((P, 1), dtype={kept}, buffer=nl.sbuf)\n")
        lines.append(f"    nisa.memset({state}, {chance.choice((0.0, 1.0, -1.0e4, 0.5))})\n")
    body: list[str] = []

    def tile(dtype: str, wide: str = "4") -> str:
        name = f"t{len(lines)}_{len(body)}"
        body.append(f"    {name} = nl.ndarray((P, {wide}), dtype={dtype}, buffer=nl.sbuf)\n")
        return name

    for name in ("x", "y"):
        made = tile(f"{name}.dtype")
        body.append(f"    nisa.dma_copy(dst={made}, src={name}[:, t * 4 : t * 4 + 4])\n")
        tiles.append(made)
    for _ in range(chance.randint(0, 4)):
        _step(chance, body, tiles, columns, tile, products=False)
    for _ in range(chance.randint(1, 3)):
        column = tile("nl.float32", "1")
        reduced = chance.choice(("add", "maximum", "minimum"))
        body.append(f"    nisa.tensor_reduce(dst={column}, op=nl.{reduced}, data={tiles[-1]}, axis=1)\n")
        text = chance.choice(_CARRIED)
        op = chance.choice(("add", "maximum", "minimum", "multiply", "subtract"))
        body.append("    " + text.format(state=chance.choice(("first", "second")), column=column, op=op) + "\n")
    lines.append("    for t in range(F // 4):\n")
    lines += ["    " + line.replace("\n    ", "\n        ") for line in body]
    lines.append("    last = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)\n")
    lines.append("    nisa.tensor_tensor(dst=last, data1=first, data2=second, op=nl.add)\n")
    lines.append("    nisa.dma_copy(dst=out[:, 0:1], src=last)\n    return out\n")
    return "".join(lines)


def of_sizes(target: Target, hardware: Hardware, most: int) -> tuple[bool, list[str]]:
    """A proof for all sizes, True if there is one; and the numbers of runs of a few that are outside of its ranges."""
    explored = explore(target, hardware, PathLimits(), frozenset({5}))
    if explored.run.unsupported_construct is not None or explored.unrolled:
        return False, []
    bounds: dict[Executed, dict[str, Array]] = {}
    walk = FamilyWalk(explored.run.program, asked_range, float("inf"))
    walk.wrote = lambda item, written: bounds.__setitem__(item, {name: part.copy() for name, part in written.items()})
    walk.run()
    expected: dict[tuple[str, int, str], Array] = {}
    for item, written in bounds.items():
        for name, part in written.items():
            key = (item.operation.name, item.site.line if item.site else 0, name)
            expected[key] = walk.n.joined(expected[key], part) if key in expected else part
    unsure = {site for _, site in walk.unfollowed} | {finding.site for finding in walk.findings.found.values()}
    proved = not unsure
    for values in _SHAPES:
        for choice in choices(most):
            seen = _Written([])
            course = on_inputs(target, values, hardware, _LIMITS, choice.fill, told=seen.watch)
            if proved and course.findings:
                return proved, [f"{values}: {course.findings[0]}, which ranges rule out; {choice}"]
            for operation, site, name, numbers in seen.elements:
                known = expected.get((operation, site.line if site else 0, name))
                if known is None or np.isnan(known[0, 0]):
                    continue
                flags = int(known[2, 0])
                inside = (numbers >= known[0, 0]) & (numbers <= known[1, 0])
                inside |= (numbers == np.inf) & bool(flags & PLUS) | (numbers == -np.inf) & bool(flags & MINUS)
                if not inside.all():
                    wrong = numbers[~inside].flat[0]
                    where = f"{values}: {site}: {name} of {operation} is {wrong!r}"
                    return proved, [f"{where}, not in {known[0, 0]!r}..{known[1, 0]!r}; {choice}"]
    return proved, []


def _changed(**changes: Any) -> dict[str, Function]:
    return {name: replace(function, **changes) for name, function in FUNCTIONS.items()}


def _yes(one: Array, other: Array) -> tuple[Array, Array, Array]:
    shape = np.broadcast_shapes(one.shape, other.shape)
    return np.ones(shape, dtype=bool), np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)


#: Errors of the arithmetic, by what they are: the owner of a name, the name, and what stands there instead.
FAULTS: dict[str, tuple[object, str, object]] = {
    "lower ends are not rounded outwards": (operators, "down", lambda number: number + np.abs(number) * 1e-7),
    "upper ends are not rounded outwards": (operators, "up", lambda number: number - np.abs(number) * 1e-7),
    "sums do not round": (operators, "sum_error", lambda size, count: np.zeros_like(size)),
    "products take the corners of one side": (
        operators,
        "corners",
        lambda operator, one, other: (operator(one.low, other.low), operator(one.high, other.high)),
    ),
    "functions have no valley": (operators, "FUNCTIONS", _changed(least_at=math.inf)),
    "functions that fall rise": (operators, "FUNCTIONS", _changed(course=Course.INCREASING)),
    "any number is at most any other": (Relations, "at_most", lambda self, one, other: _yes(one, other)),
    "some number of each row is large": (Relations, "attained", lambda self, ids: np.full((*ids.shape[:-1], 1), 5.0)),
    "the greatest is the least": (
        IntervalOperators,
        "_greater",
        lambda self, one, other: Parts(
            np.minimum(one.low, other.low), np.minimum(one.high, other.high), one.flags | other.flags, one.ids
        ),
    ),
    "a select takes one side": (IntervalOperators, "choose", lambda self, condition, x, y: np.asarray(x)),
    "conversions do not round": (Intervals, "_to_float", lambda self, part, dtype: stacked(part)),
    "integers are cut off": (np, "ceil", np.floor),
}


#: Errors of the walk for all sizes, as above.
SIZE_FAULTS: dict[str, tuple[object, str, object]] = {
    "sums have the fewest addends": (Families, "_count", lambda self, extent, fewer: (1.0, 1.0)),
    "what grows stays": (growth, "grown", lambda entry, carried, times: (float(entry[0, 0]), float(entry[1, 0]))),
    "every assumption is proved": (walk_module, "weakened", lambda held, *more: (held, True)),
    "what is carried is not multiplied": (growth, "_product", lambda one, other: one),
    "what is added is not carried": (family_numbers, "moved", lambda carried, *more: carried),
    "the greatest of a row is any of it": (FamilyRelations, "greatest_along", lambda self, ids, axis: ids),
    "some number of each row is large": (FamilyRelations, "attained_along", lambda self, ids, axis: 5.0),
    "a write to a part is one to all": (FamilyWalk, "covers", lambda self, view: True),
    "a mean is of fewer": (family_numbers, "_wider", lambda low, high: (low / 2, high / 2)),
    "a loop body runs at least once": (
        walk_module._Assumed,
        "after",
        lambda self, entry, found, times, once, known=walk_module._Assumed.after: known(
            self, entry, found, times, True
        ),
    ),
}


def noticed(fault: tuple[object, str, object], seed: int, kernels: int) -> int | None:
    """The number of the first random kernel that shows an error of the arithmetic; None where none does."""
    hardware = hardware_named("trn2")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(kernels):
            target = drawn(random.Random(f"{seed}/{number}"), Path(folder), number)
            with patch.object(*fault):
                expected = _Written([])
                trial = on_ranges(target, {}, hardware, _LIMITS, told=expected.watch)
            if not trial.unusable and _shown(target, hardware, expected, trial, 12):
                return number
    return None


def noticed_for_sizes(fault: tuple[object, str, object], seed: int, kernels: int) -> int | None:
    """As `noticed`, of the walk for all sizes."""
    hardware = hardware_named("trn2")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(kernels):
            target = drawn(random.Random(f"sizes {seed}/{number}"), Path(folder), number, sizes=True)
            with patch.object(*fault):
                if of_sizes(target, hardware, 8)[1]:
                    return number
    return None


def main() -> int:
    """Run the campaign; 1 where a number is outside of its range."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=200)
    parser.add_argument("--inputs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", action="store_true", help="put errors into the arithmetic")
    parser.add_argument("--sizes", action="store_true", help="walk kernels for all sizes")
    parser.add_argument(
        "--cost", metavar="PATTERN", help="the time of phase 5 beside that of phase 4, of these targets"
    )
    arguments = parser.parse_args()
    if arguments.cost:
        return _cost(arguments.cost)
    if arguments.faults:
        missed = 0
        for name, fault in (SIZE_FAULTS if arguments.sizes else FAULTS).items():
            found_by = noticed_for_sizes if arguments.sizes else noticed
            number = found_by(fault, arguments.seed, arguments.kernels)
            missed += number is None
            print(f"{name}: {'NOT noticed' if number is None else f'kernel {number}'}", flush=True)
        return 1 if missed else 0
    hardware, wrong, proved = hardware_named("trn2"), 0, 0
    if arguments.sizes:
        return _campaign_of_sizes(arguments, hardware)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.kernels):
            chance = random.Random(f"{arguments.seed}/{number}")
            target = drawn(chance, Path(folder), number)
            trial = on_ranges(target, {}, hardware, _LIMITS)
            proved += not (trial.findings or trial.unfollowed or trial.unusable)
            for text in differences(target, hardware, arguments.inputs)[:1]:
                wrong += 1
                print(f"kernel {number}: {text}\n{Path(folder, f'k{number}.py').read_text()}", flush=True)
    print(
        f"{arguments.kernels} kernels of seed {arguments.seed}, {arguments.inputs} inputs: {proved} proved, {wrong} not"
        " as their ranges say"
    )
    return 1 if wrong else 0


def _campaign_of_sizes(arguments: argparse.Namespace, hardware: Hardware) -> int:
    wrong = proved = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.kernels):
            chance = random.Random(f"sizes {arguments.seed}/{number}")
            target = drawn(chance, Path(folder), number, sizes=True)
            shown, found = of_sizes(target, hardware, arguments.inputs)
            proved += shown
            wrong += bool(found)
            for text in found:
                print(f"kernel {number}: {text}\n{Path(folder, f'k{number}.py').read_text()}", flush=True)
    print(
        f"{arguments.kernels} kernels of seed {arguments.seed} for all sizes, {arguments.inputs} inputs of"
        f" {len(_SHAPES)} shapes: {proved} proved, {wrong} not as their ranges say"
    )
    return 1 if wrong else 0


def _cost(pattern: str) -> int:
    """Print the processor time of phase 5 beside that of phase 4, of the targets whose names a pattern matches."""
    together = [0.0, 0.0]
    for target in load_targets(resources.root()):
        if not fnmatch(target.name, pattern) or target.expect.get(4) is None:
            continue
        spent = []
        for phases in ((4,), (4, 5)):
            before = time.process_time()
            runs = verify(replace(target, expect={}), Options(root=target.root, phases=phases))
            spent.append(time.process_time() - before)
        alone = spent[1] - spent[0]
        together[0], together[1] = together[0] + spent[0], together[1] + alone
        print(f"{target.name:34} {spent[0]:6.2f} s {alone:6.2f} s  {runs[-1].verdict.value}", flush=True)
    print(f"phase 4 {together[0]:.1f} s, phase 5 besides {together[1]:.1f} s: {together[1] / together[0]:.2f}")
    return 0


def drawn(chance: random.Random, folder: Path, number: int, sizes: bool = False) -> Target:
    """The target of a random kernel, on random ranges."""
    file = folder / f"k{number}.py"
    file.write_text(looped(chance) if sizes and number % 2 else generated(chance))
    given = []
    for name in ("x", "y"):
        low, high = chance.choice(_RANGES)
        dtype = chance.choice(("f32", "bf16"))
        given.append(f"{name}={dtype}[{'P,F' if sizes else '128,13'}] in {low}..{high}")
    where = ("P <= 128", "F <= 64") if sizes else ()
    return request(f"{file.name}::kernel", folder, given, where, None).target("trn2", False)


if __name__ == "__main__":
    sys.exit(main())
