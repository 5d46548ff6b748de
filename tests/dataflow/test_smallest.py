"""The witness of phase 4 by brute force: the simplest shape that fails, its first iteration and first element."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nkiverify.analysis.marks.order import Recorded
from nkiverify.analysis.marks.shadow import execute, first_reaching
from nkiverify.engines.minimise import simplicity
from nkiverify.foundation.records import Verdict
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.paths import Limits
from nkiverify.manifest import Verification
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.dtypes import float32
from nkiverify.model.hardware import hardware_named
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Tensor
from nkiverify.phases.dataflow.played import play
from nkiverify.phases.dataflow.smallest import simplest
from nkiverify.verify.exploration import explore
from tests.dataflow.subject import Subject

ROWS, COLUMNS = 6, 5
TRN2 = hardware_named("trn2")


def domain(v: Verification) -> None:
    v.call(v.tensor("x", (v.dim("R", 1, ROWS), v.dim("C", 1, COLUMNS)), float32))


def statement(choose: random.Random) -> list[str]:
    edge = ["0", "1", "R", "R", "R - 1", "i", "i + 1", "i + 2"]
    low, high = choose.choice(edge), choose.choice(edge)
    columns = choose.choice([":", ":", "0:1", "0:C - 1" if choose.random() < 0.5 else ":", "C // 2:C"])
    one, two = choose.choice([("one", "two"), ("two", "one")])
    operation = choose.choice(
        [
            f"nisa.dma_copy({one}[a:b, {columns}], x[a:b, {columns}])",
            f"nisa.dma_copy(out[a:b, {columns}], {one}[a:b, {columns}])",
            f"nisa.dma_copy(out[a:b, {columns}], x[a:b, {columns}])",
            f"nisa.tensor_tensor({one}[a:b, {columns}], {one}[a:b, {columns}], {two}[a:b, {columns}], nl.add)",
            f"nisa.tensor_copy({one}[a:b, {columns}], {two}[a:b, {columns}])",
        ]
    )
    return [f"a, b = {low}, min(R, {high})", f"if 0 <= a < b and (C > 1 or {columns!r} == ':'):", f"    {operation}"]


def kernel(seed: int) -> str:
    choose = random.Random(seed)
    lines = ["@nki.jit", "def kernel(x):", "    R, C = x.shape"]
    lines.append("    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)")
    for name in ("one", "two"):
        lines.append(f"    {name} = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.sbuf)")
        if choose.random() < 0.6:
            lines.append(f"    nisa.dma_copy({name}, x)")
    if choose.random() < 0.8:
        lines.append("    nisa.dma_copy(out, x)")
    lines.append("    for i in range(R):")
    for _ in range(choose.randint(1, 3)):
        lines += ["        " + line for line in statement(choose)]
    lines.append("    return out")
    return "\n".join(lines)


def recorded(subject: Subject, **values: int) -> list[Recorded]:
    return list(play(subject.target, values, ConcreteExecution(TRN2, False, records=True)).recorded)


def failing(subject: Subject) -> Iterator[dict[str, int]]:
    for rows, columns in product(range(1, ROWS + 1), range(1, COLUMNS + 1)):
        if subject.trial(R=rows, C=columns).findings.faults:
            yield {"R": rows, "C": columns}


#: Reads of unwritten elements: position in the run and element of the operand.
Origins = frozenset[tuple[int, tuple[int, ...]]]


def reaching(items: list[Recorded]) -> Origins:
    """All reads of unwritten elements that reach an output, followed as sets, element by element."""
    held: dict[int, np.ndarray[Any, Any]] = {}

    def of(view: Tensor) -> np.ndarray[Any, Any]:
        storage = held.setdefault(id(view.storage), filled(view, frozenset()))
        places = np.full(tuple(view.shape), int(view.offset))
        for axis, stride in enumerate(view.strides):
            shape = [1] * view.ndim
            shape[axis] = -1
            places = places + int(stride) * np.arange(int(view.shape[axis])).reshape(shape)
        return storage, places  # type: ignore[return-value]

    def filled(view: Tensor, value: object) -> np.ndarray[Any, Any]:
        array = np.empty(int(view.storage.size), object)
        array[:] = [value] * array.size
        return array

    found: Origins = frozenset()
    for position, item in enumerate(items):
        if isinstance(item, Allocation):
            array = np.empty(int(item.storage.size), object)
            held[id(item.storage)] = array
        elif isinstance(item, Executed):
            (target,) = item.operation.writes.values()
            into, at = of(target)
            result = np.empty(at.shape, object)
            result[...] = frozenset()
            for view in item.operation.reads.values():
                source, places = of(view)
                for element in np.ndindex(at.shape):
                    mark = source[places[element]]
                    result[element] |= frozenset([(position, element)]) if mark is None else mark
            into[at] = result
        elif isinstance(item, Returned):
            for tensor in item.tensors:
                array, places = of(tensor)
                for element in np.ndindex(places.shape):
                    found |= array[places[element]] or frozenset()
    return found


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(3))
def test_the_witness_of_a_random_kernel_is_the_simplest_shape_that_fails(tmp_path: Path, block: int) -> None:
    failed = 0
    for seed in range(5 * block, 5 * block + 5):
        folder = tmp_path / str(seed)
        folder.mkdir()
        subject = Subject.of(folder, kernel(seed), domain)
        run = subject.verdict()
        all_failing = list(failing(subject))
        assert (run.verdict is Verdict.FAILED) == bool(all_failing), seed
        if not all_failing:
            continue
        dimensions = explore(subject.target, TRN2, Limits(), SHAPE_PHASES | {4}).run.program.dimensions
        best = min(all_failing, key=lambda values: simplicity(values, dimensions))
        for violation in run.violations:
            assert violation.values == best, (seed, kernel(seed))
            assert violation.smallest
        failed += 1
    assert failed


@pytest.mark.parametrize("seed", range(40))
def test_the_first_element_that_reaches_an_output_is_found(tmp_path: Path, seed: int) -> None:
    subject = Subject.of(tmp_path, kernel(seed), domain)
    items = recorded(subject, R=4, C=3)
    findings = execute(items, 2)
    expected = reaching(items)
    for line in {item.site.line for item in items if isinstance(item, Executed) and item.site is not None}:
        here = [at for at, item in enumerate(items) if isinstance(item, Executed) and item.site.line == line]  # type: ignore[union-attr]
        brought = sorted(origin for origin in expected if origin[0] in here)
        found = first_reaching(items, 2, here)
        if not brought:
            assert found is None
            continue
        assert found is not None
        if len(items[brought[0][0]].operation.reads) == 1:  # type: ignore[union-attr]
            assert (found.position, found.element) == brought[0]
        else:
            # Of two operands the first is told.
            assert found.position == brought[0][0]
            assert (found.position, found.element) in brought
    assert bool(expected) == any(fault.contract == "df.read_unwritten" for fault in findings.faults)


def test_the_element_that_is_told_is_the_one_that_is_used(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, 1), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.sbuf)
        other = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(other, tile)
        nisa.dma_copy(out, other[:, C - 1:C])
        return out
    """

    def two_columns(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim("R", 1, ROWS), v.dim("C", 3, COLUMNS)), float32))

    (violation,) = Subject.of(tmp_path, body, two_columns).verdict().violations
    assert "element = (0, 2)" in violation.message
    assert (violation.values, violation.smallest) == ({"R": 1, "C": 3}, True)


def test_a_shape_beyond_those_that_are_tried_first_is_made_smaller(tmp_path: Path) -> None:
    # 127 to 129 rows and the first few are tried: 70 rows fail first.
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(out[0:min(R, 69), :], x[0:min(R, 69), :])
        return out
    """

    def wide(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim("R"), v.dim("C")), float32))

    (violation,) = Subject.of(tmp_path, body, wide).verdict().violations
    assert (violation.values, violation.smallest) == ({"R": 70, "C": 1}, True)


def test_shapes_outside_the_domain_cost_no_runs(tmp_path: Path) -> None:
    # With the smallest number of columns no number of rows is in the domain: those are not what ends the search.
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        tiles = [nl.ndarray((R, 64), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
        for i in range(C // 64):
            nisa.dma_copy(tiles[i % 2], x[0:R, i * 64 : (i + 1) * 64])
            nisa.dma_copy(out[0:R, i * 64 : (i + 1) * 64], tiles[(i + 1) % 2])
        return out
    """

    def in_blocks(v: Verification) -> None:
        rows, columns = v.dim("R"), v.dim("C")
        v.assume(rows <= 128)
        v.assume(columns % 64 == 0)
        v.call(v.tensor("x", (rows, columns), float32))

    subject = Subject.of(tmp_path, body, in_blocks)
    program = explore(subject.target, TRN2, Limits(), SHAPE_PHASES | {4}).run.program
    found = subject.trial(R=1, C=128 * 64)
    trial, smallest = simplest(subject.target, program, program.dimensions, TRN2, found, 60, provable=False)
    assert (trial.values, smallest) == ({"R": 1, "C": 64}, True)


def test_a_shape_that_cannot_be_run_leaves_open_whether_there_is_a_simpler_one(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        assert R != 1
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(out[0:R - 1, :], x[0:R - 1, :])
        return out
    """
    subject = Subject.of(tmp_path, body, domain)
    program = explore(subject.target, TRN2, Limits(), SHAPE_PHASES | {4}).run.program
    trial, smallest = simplest(
        subject.target, program, program.dimensions, TRN2, subject.trial(R=4, C=2), 60, provable=False
    )
    assert trial.values == {"R": 2, "C": 1}
    assert not smallest


def test_a_domain_of_one_shape_has_no_simpler_one(tmp_path: Path) -> None:
    def one(v: Verification) -> None:
        v.call(v.tensor("x", (4, 3), float32))

    body = """
    @nki.jit
    def kernel(x):
        return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    """
    (violation,) = Subject.of(tmp_path, body, one).verdict().violations
    assert violation.smallest
