"""Cells of storages: what a run does to elements, said of runs of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nkiverify.analysis.marks import storage_cells as module
from nkiverify.analysis.marks.shadow import execute
from nkiverify.analysis.marks.storage_cells import Geometry, Layouts, StorageCells
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from nkiverify.model.hardware import hardware_named
from nkiverify.model.memory import SBUF
from nkiverify.model.recorded import Executed
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.phases.dataflow.played import play
from tests.dataflow.subject import Subject


def _view(size: int, rng: np.random.Generator) -> Tensor | None:
    """Some view of a storage of so many elements, or None where it would leave it."""
    storage = Storage(0, (size,), float32, SBUF)
    rank = int(rng.integers(1, 4))
    shape = tuple(int(extent) for extent in rng.integers(1, 6, rank))
    strides = tuple(int(step) for step in rng.choice([0, 1, 1, 2, 3, 5, 8, 16, 40, -1, -8], rank))
    view = Tensor.of(storage, shape, strides, float32, ((int(rng.integers(0, size)), 1),))
    first, last = Geometry.of(view, 4).reach
    return view if first >= 0 and last < size else None


@pytest.mark.parametrize("seed", range(40))
def test_cells_of_random_views_are_those_of_their_places(seed: int) -> None:
    rng = np.random.default_rng(seed)
    views = [view for view in (_view(200, rng) for _ in range(60)) if view is not None][:6]
    geometries = [Geometry.of(view, 4) for view in views]
    for one in geometries:
        starts, length = one.runs()
        places = {int(start) + off for start in starts for off in range(length)}
        assert places == set(one.places().ravel().tolist())
    cut = StorageCells.cut(200, [edge for one in geometries for edge in module._ends(one)])
    for one in geometries:
        there = cut.of(one)
        numbers = range(cut.count)[there] if isinstance(there, slice) else there.tolist()
        held = {place for cell in numbers for place in range(int(cut.ends[cell]), int(cut.ends[cell + 1]))}
        assert held == set(one.places().ravel().tolist())


TRANSPOSED = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((R, C + 3), dtype=x.dtype, buffer=nl.sbuf)
    wide = nl.ndarray((R, C + 3), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0 : R - HOLE, 0:C:2], src=x[0 : R - HOLE, 0:C:2])
    nisa.dma_copy(dst=tile[0:R, 1:C:2], src=x[0:R, 1:C:2])
    nisa.tensor_copy(dst=wide, src=tile)
    nisa.tensor_scalar(dst=wide[:, 0:C], data=wide[:, 0:C], op0=nl.multiply, operand0=2.0)
    turned = nl.ndarray((C, R), dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=wide[:, 0:C])
    back = nl.ndarray((C, R), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=back, src=turned)
    for row in range(R):
        nisa.dma_copy(dst=out[row : row + 1, :], src=x[row : row + 1, :])
    nisa.dma_copy(dst=out.ap([[1, C], [C, R]]), src=back)
    return out
"""
MASKED = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:16, 0:40]
    for k in nl.affine_range(2):
        tile = nl.load(x[i, j], mask=(i < R) & (j < C))
        nl.store(out[i, j], tile, mask=(i < R) & (j < C - HOLE) & (j % 2 == k))
    return out
""".replace("(j % 2 == k)", "(20 * k <= j) & (j < 20 + 20 * k)")


def _seen(run: ConcreteExecution) -> tuple[object, ...]:
    found = execute(run.recorded, run.hardware.generation)
    return found.faults, found.doubts, found.origins, found.looked_at


@pytest.mark.parametrize("body", [TRANSPOSED, MASKED])
@pytest.mark.parametrize("hole", [0, 1, 2])
@pytest.mark.parametrize("shape", [(8, 12), (16, 9), (3, 40)])
def test_cells_show_what_elements_show(
    body: str, hole: int, shape: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def domain(v: Verification) -> None:
        v.call(v.tensor("x", shape, float32))

    target = Subject.of(tmp_path, body.replace("HOLE", str(hole)), domain, legacy=body is MASKED).target
    run = ConcreteExecution(hardware_named("trn2"), False, records=True)
    assert not play(target, {}, run).unusable
    seen = _seen(run)
    with monkeypatch.context() as patched:
        patched.setattr(StorageCells, "cut", staticmethod(lambda size, cuts: StorageCells.each(size)))
        assert _seen(run) == seen
    assert bool(seen[0]) == bool(hole)


def test_a_large_tensor_has_as_many_cells_as_it_has_tiles(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        for i in range((R + 127) // 128):
            rows = min(128, R - i * 128)
            tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile[0:rows, :], src=x[i * 128 : i * 128 + rows, :])
            nisa.dma_copy(dst=out[i * 128 : i * 128 + rows, :], src=tile[0:rows, :])
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (10_944, 2_048), float32))

    run = ConcreteExecution(hardware_named("trn2"), False, records=True)
    assert not play(Subject.of(tmp_path, body, domain).target, {}, run).unusable
    assert not execute(run.recorded, 2).faults
    layouts = Layouts(run.recorded)
    storages = {id(view.storage): view.storage for item in run.recorded if isinstance(item, Executed)
                for view in item.operation.views}  # fmt: skip
    assert max(layouts.cells(storage).count for storage in storages.values()) == 86


@pytest.mark.parametrize("edges", [[], [0, 12], [1, 1, 11], [3, 4, 5], [8, 2, 30, -1, 4, 7]])
def test_finer_cells_end_where_they_did_and_at_the_edges(edges: list[int]) -> None:
    cells = StorageCells(np.asarray([0, 4, 5, 9, 12], np.int64))
    finer, old = cells.finer(np.asarray(edges, np.int64))
    again = StorageCells.cut(12, [cells.ends, np.asarray(edges, np.int64)])
    assert finer.ends.tolist() == again.ends.tolist()
    assert old.tolist() == cells.at(again.ends[:-1]).tolist()
