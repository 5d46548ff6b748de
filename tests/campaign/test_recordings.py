"""The symbolic and the concrete run of a kernel record the same, and what they do not is seen."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from lab.fuzz import moving_number
from lab.kernel_files import Concrete, read_header
from lab.recordings import CannotCompare, Recording, compared, differences, plain, program_of, symbolic
from lab.recordings_command import SOUNDNESS
from lab.subject import Bench
from nkiverify.engines.shapes import Shapes
from nkiverify.execute.instantiate import ItemText
from nkiverify.foundation.records import Kind
from nkiverify.frontend.target import Target
from nkiverify.ir.walk import items
from nkiverify.model.recorded import Executed
from tests.bundled import TARGETS
from tests.dataflow.subject import Subject
from tests.dataflow.test_unordered import FOLLOWED, subject
from tests.representatives import representatives

SECONDS = 20.0
#: Items of records that are compared, at most: of kernels with larger ones there are smaller shapes.
ITEMS = 60_000
#: The same of controls and findings: they are kernels of other targets with one place, or one number, changed.
CHANGED_ITEMS = 12_000


@pytest.mark.parametrize(
    "target",
    representatives(TARGETS, kind=lambda target: (target.family, target.kind), name=lambda target: target.name),
)
def test_both_runs_of_a_target_record_the_same(target: Target) -> None:
    try:
        program = program_of(target, SECONDS)
    except CannotCompare as reason:
        pytest.skip(str(reason))
    most = CHANGED_ITEMS if target.kind in (Kind.CONTROL, Kind.FINDING) else ITEMS
    tried = 0
    for values in islice(Shapes(program.dimensions, []).tried(), 6):
        try:
            mine = symbolic(program, values, most)
            other = plain(target, values, SECONDS)
            if other is None:
                continue
            assert list(differences(mine, other)) == [], values
        except CannotCompare:
            if tried:
                return  # The larger ones take longer still.
            continue
        tried += 1
        if tried == 2:
            return
    if not tried:
        pytest.skip("no shape that runs to its end")


@pytest.mark.campaign
@pytest.mark.parametrize("number", range(40))
def test_both_runs_of_a_random_kernel_record_the_same(number: int) -> None:
    bench = Bench()
    try:
        with bench.target(moving_number(number, 20, bench)) as target:
            assert compared(target, islice(moving_number(number, 20, bench).assignments(), 3), SECONDS) == []
    finally:
        bench.close()


@pytest.mark.parametrize("form", FOLLOWED)
def test_both_runs_record_the_same_iterations(form: str, tmp_path: Path) -> None:
    target = subject(tmp_path, FOLLOWED[form], 64).target
    found = plain(target, {"n": 3}, SECONDS)
    assert found is not None and ItemText("iteration") in found.items
    assert list(differences(symbolic(program_of(target, SECONDS), {"n": 3}), found)) == []


def test_a_sum_that_a_condition_begins_reads_what_is_there_in_both_runs(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(a, n):
        out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
        total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
        nisa.dma_copy(dst=tile, src=a)
        for i in range(n):
            nisa.nc_matmul(total, tile, tile[:, 0:64], accumulate=i > 0)
        nisa.dma_copy(dst=out, src=nl.copy(total))
        return out
    """
    from tests.dataflow.test_iterations import domain

    target = Subject.of(tmp_path, body, domain).target
    run = program_of(target, SECONDS)
    shown = symbolic(run, {"n": 2}).items
    assert sum("dst = float32[128, 64];" in item.text for item in shown) == 1
    (adding,) = [item for item in items(run.body) if isinstance(item, Executed) and "matmul" in item.operation.name]
    assert adding.operation.reads["dst"] is adding.operation.writes["dst"]


def test_a_view_is_compared_by_its_place(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(a, n):
        out = nl.ndarray((128, 64), dtype=a.dtype, buffer=nl.shared_hbm)
        for i in range(n):
            nisa.dma_copy(dst=out[:, i : i + 1], src=a[:, BEGIN : BEGIN + 1])
        return out
    """
    from tests.dataflow.test_iterations import domain

    def of(name: str, begin: str) -> Target:
        (tmp_path / name).mkdir()
        return Subject.of(tmp_path / name, body.replace("BEGIN", begin), domain).target

    program = program_of(of("one", "i"), SECONDS)
    same, other = (plain(of(name, begin), {"n": 3}, SECONDS) for name, begin in (("two", "i"), ("three", "i // 2")))
    assert same is not None and other is not None
    assert list(differences(symbolic(program, {"n": 3}), same)) == []
    (found,) = (one for one in differences(symbolic(program, {"n": 3}), other) if one.startswith("item"))
    symbolically, concretely = found.split(", concrete ")
    assert symbolically.endswith("with elements [1 by 128] [1 by 64]")
    assert concretely.endswith("with elements [0 by 128] [1 by 64]")


@pytest.mark.parametrize(
    "name",
    [
        # Operations before the launch, of two programs; and a claim that is enough, and no more.
        "model_state/launches/no_program_overwrites_the_index.py",
        "model_state/partial_writes/a_part_of_a_pattern.py",
    ],
)
def test_both_runs_of_a_kernel_record_the_same(name: str) -> None:
    path = SOUNDNESS / name
    target = Concrete.of(path, replace(read_header(path), shapes={"": range(0)})).target
    assert compared(target, [{"n": 1}, {"n": 2}], SECONDS) == []
    assert plain(target, {"n": 1}, SECONDS) is not None


def test_differences_are_seen() -> None:
    a, b, c = map(ItemText, "abc")
    one, two = Recording([a, b], {("x.y", 3)}, {("x.z", 4)}), Recording([a, c], {("x.z", 4), ("x.w", 5)})
    assert list(differences(one, two)) == [
        "item 1: symbolic b, concrete c",
        "x.y at line 3 is claimed in the symbolic run only",
        "x.w at line 5 is checked in the concrete run only",
    ]
    assert list(differences(one, Recording([a], {("x.y", 3)}))) == ["item 1: symbolic b, concrete None"]
    drawn = Recording([ItemText("indices drawn"), a, b], {("x.y", 3)}, {("x.z", 4)})
    assert list(differences(one, drawn)) == ["indices are drawn in the concrete execution only"]
    assert list(differences(drawn, one)) == []
    kept = Recording([ItemText("loop without an order"), ItemText("iteration"), a, b], {("x.y", 3)}, {("x.z", 4)})
    assert list(differences(drawn, kept)) == []
    assert list(differences(one, kept)) == ["item 0: symbolic a, concrete loop without an order"]
