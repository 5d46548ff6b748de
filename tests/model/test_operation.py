"""Every modelled function tells the run what it reads and writes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.model.hardware import hardware_named
from nkiverify.model.operation import Operation
from nkiverify.model.operators import OPERATORS
from nkiverify.model.recorded import Executed
from nkiverify.model.registry import declarations
from nkiverify.model.tensor import RecordedView
from nkiverify.symbolic.execution import running
from tests.model.stub_library import (
    hbm,
    nisa,
    nki,
    nl,
    old_hbm,
    old_nisa,
    old_nl,
    old_psum,
    old_sbuf,
    psum,
    sbuf,
    uses,
)
from tests.model.test_indexed_operations import indices


def recorded(action: Any, hardware: str = "trn2") -> list[Operation]:
    """The operations that `action` issues in a run of ordinary ints."""
    run = ConcreteExecution(hardware_named(hardware), stop_at_first=False, records=True)
    with running(run):
        action()
    return [item.operation for item in run.recorded if isinstance(item, Executed)]


def functions(module: ModuleType) -> Iterator[str]:
    """The functions of a documented module whose calls are recorded."""
    unrecorded = {
        each.short_name
        for each in declarations()
        for api, name, _ in each.modules()
        if name == module.__name__ and (each.host or api in each.refusals)
    }
    for name in module.__all__:
        if inspect.isfunction(getattr(module, name)) and name not in unrecorded:
            yield name


GROUP = nki.collectives.ReplicaGroup([[0, 1]])

#: Legal uses of functions that have no contract of their own to control, and of all of one form.


def _rows_of(tensor: Any) -> Any:
    """Four rows that are known at run time."""
    return tensor[old_sbuf(4, 1, dtype=nl.int32), old_nl.arange(6)[None, :]]


def _at_a_place(tensor: Any) -> Any:
    """A column that is known at run time."""
    return tensor[:, old_sbuf(1, 1, dtype=nl.int32)]


def _wait() -> None:
    nisa.core_barrier(hbm(2, 4), (0, 1))


MORE_USES: list[tuple[str, Any]] = [
    ("trn2", lambda: nki.jit(_wait)[2]()),
    ("trn2", lambda: nisa.nc_n_gather(sbuf(2, 3), sbuf(2, 8), indices(2, 3, high=7))),
    ("trn2", lambda: nisa.register_load(nisa.register_alloc(0), indices(1, 1))),
    ("trn2", lambda: nl.ones((4, 4), nl.float32)),
    ("trn2", lambda: nl.zeros((4, 4), nl.float32)),
    ("trn2", lambda: nl.full((4, 4), 2, nl.float32)),
    ("trn2", lambda: nl.zeros_like(sbuf(4, 4))),
    ("trn2", lambda: nl.rand((4, 4), nl.float32)),
    ("trn2", lambda: nl.device_print("x", sbuf(4, 4))),
    ("trn2", lambda: nl.copy(sbuf(4, 4))),
    ("trn2", lambda: nl.all(sbuf(4, 4), 1)),
    ("trn2", lambda: nl.load_transpose2d(hbm(4, 8))),
    ("trn2", lambda: nl.softmax(sbuf(4, 4))),
    ("trn2", lambda: nl.where(sbuf(4, 4), sbuf(4, 4), 0.0)),
    ("trn2", lambda: nl.dropout(sbuf(4, 4), 0.5)),
    ("trn2", lambda: nki.collectives.rank_id()),
    ("trn2", lambda: nki.collectives.reduce_scatter([hbm(4, 4)], [hbm(2, 4)], GROUP, 0, nl.add)),
    ("trn2", lambda: nki.collectives.collective_permute([hbm(2, 4)], [hbm(2, 4)], [(0, 1), (1, 0)])),
    (
        "trn2",
        lambda: nki.collectives.all_to_all_v([hbm(8, 8)], [hbm(8, 8)], GROUP, hbm(3, 2, dtype=nl.uint32)),
    ),
    (
        "trn2",
        lambda: nki.collectives.collective_permute_implicit_reduce(
            [[hbm(8, 8)]], [[hbm(8, 8)]], [[hbm(8, 8)]], GROUP, nl.add
        ),
    ),
    ("trn2", lambda: nki.collectives.collective_permute_implicit_current_processing_rank_id(0, GROUP)),
    ("trn2", lambda: nisa.register_alloc(3)),
    ("trn2", lambda: old_nisa.dma_transpose(old_sbuf(4, 6))),
    ("trn2", lambda: old_nisa.tensor_copy_dynamic_src(_at_a_place(old_sbuf(4, 6)))),
    ("trn2", lambda: old_nisa.tensor_copy_dynamic_dst(dst=_at_a_place(old_sbuf(4, 6)), src=old_sbuf(4, 1))),
    ("trn2", lambda: old_nl.atomic_rmw(_rows_of(old_hbm(8, 6)), old_sbuf(4, 6), nl.add)),
    ("trn2", lambda: old_nl.random_seed(old_sbuf(1, 1, dtype=nl.int32))),
    ("trn2", lambda: old_nisa.tensor_scalar_cumulative(old_sbuf(4, 6), old_sbuf(4, 6), nl.add, nl.add, 1.0)),
    ("trn2", lambda: old_nl.ones((4, 4), nl.float32)),
    ("trn2", lambda: old_nl.zeros((4, 4), nl.float32)),
    ("trn2", lambda: old_nl.full((4, 4), 2.0, nl.float32)),
    ("trn2", lambda: old_nl.zeros_like(old_sbuf(4, 4))),
    ("trn2", lambda: old_nl.device_print("x", old_sbuf(4, 4))),
    ("trn2", lambda: old_nl.copy(old_sbuf(4, 4))),
    ("trn2", lambda: old_nl.static_cast(old_sbuf(4, 4), nl.bfloat16)),
    ("trn2", lambda: old_nl.all(old_sbuf(4, 4), 1)),
    ("trn2", lambda: old_nl.var(old_sbuf(4, 4), 1)),
    ("trn2", lambda: old_nl.softmax(old_sbuf(4, 4), 1)),
    ("trn2", lambda: old_nl.logical_not(old_sbuf(4, 4))),
    ("trn2", lambda: old_nl.load_transpose2d(old_hbm(4, 8))),
    ("trn2", lambda: old_nl.where(old_sbuf(4, 4), old_sbuf(4, 4), 0.0)),
    ("trn2", lambda: old_nl.loop_reduce(old_sbuf(4, 4), old_nl.add, [0])),
    ("trn2", lambda: old_nl.shared_identity_matrix(4)),
    ("trn2", lambda: old_nl.shared_constant(np.zeros((4, 4), np.float32))),
    ("trn2", lambda: old_nl.broadcast_to(old_sbuf(4, 1), shape=(4, 4))),
    ("trn2", lambda: old_nisa.reciprocal(old_sbuf(4, 4))),
    ("trn2", lambda: old_nisa.tensor_copy(old_sbuf(4, 4))),
    ("trn2", lambda: old_nisa.tensor_tensor_scan(old_sbuf(4, 4), old_sbuf(4, 4), 0.0, nl.add, nl.add)),
    (
        "trn2",
        lambda: old_nisa.scalar_tensor_tensor(
            data=old_sbuf(4, 4), op0=nl.add, operand0=1.0, op1=nl.add, operand1=old_sbuf(4, 4)
        ),
    ),
    (
        "trn2",
        lambda: old_nisa.activation_reduce(nl.exp, old_sbuf(4, 4), reduce_op=nl.add, reduce_res=old_sbuf(4, 1)),
    ),
    ("trn2", lambda: old_nisa.memset((4, 4), 0, nl.float32)),
]


def element_wise() -> Iterator[Any]:
    """A use of every function that is also an operator, and of every reduction."""
    for module, tile in ((nl, sbuf), (old_nl, old_sbuf)):
        for name in functions(module):
            function = getattr(module, name)
            parameters = list(inspect.signature(function).parameters)
            if parameters[:2] == ["x", "y"] and name != "matmul":
                yield lambda f=function, t=tile: f(t(4, 4, dtype=nl.int32), t(4, 4, dtype=nl.int32))
            elif parameters[:2] == ["x", "axis"]:
                yield lambda f=function, t=tile: f(t(4, 4), 1)
            elif parameters[:1] == ["x"] and parameters[1:2] == ["dtype"]:
                yield lambda f=function, t=tile: f(t(4, 4, dtype=nl.int32))


@pytest.mark.every_case
def test_every_modelled_function_issues_operations() -> None:
    issued: dict[bool, set[str]] = {False: set(), True: set()}
    for hardware, action in (*uses(), *MORE_USES, *(("trn3", use) for use in element_wise())):
        for operation in recorded(action, hardware):
            operands = (*operation.reads.values(), *operation.writes.values())
            issued[any(view.legacy for view in operands)].add(operation.name)
    for legacy, modules in (
        (False, (("nisa", nisa), ("nl", nl), ("ncc", nki.collectives))),
        (True, (("nisa", old_nisa), ("nl", old_nl))),
    ):
        for prefix, module in modules:
            expected = {f"{prefix}.{name}" for name in functions(module) if name not in ("equal", "maximum")}
            assert expected - issued[legacy] == set()


@pytest.mark.parametrize(
    ("action", "reads", "writes"),
    [
        (lambda: nl.load(hbm(4, 8)), ["src"], ["result"]),
        (lambda: nl.store(hbm(4, 8), sbuf(4, 8)), ["value"], ["dst"]),
        (lambda: nl.matmul(sbuf(4, 8), sbuf(4, 8), transpose_x=True), ["x", "y"], ["result"]),
        (lambda: nisa.memset(sbuf(4, 8), 0), [], ["dst"]),
        (lambda: nisa.nc_matmul(psum(8, 8), sbuf(4, 8), sbuf(4, 8)), ["moving", "stationary"], ["dst"]),
        (
            lambda: nisa.nc_matmul(psum(8, 8), sbuf(4, 8), sbuf(4, 8), accumulate=True),
            ["dst", "moving", "stationary"],
            ["dst"],
        ),
        (lambda: nisa.tensor_scalar(sbuf(4, 8), sbuf(4, 8), nl.add, sbuf(4, 1)), ["data", "operand0"], ["dst"]),
        (
            lambda: nisa.tensor_copy_predicated(sbuf(4, 8), sbuf(4, 8), sbuf(4, 8, dtype=nl.uint8)),
            ["dst", "predicate", "src"],
            ["dst"],
        ),
        (lambda: old_sbuf(4, 8) + 1, ["x"], ["result"]),
        (lambda: -old_sbuf(4, 8), ["x"], ["result"]),
        (lambda: old_nl.exp(old_sbuf(4, 8)), ["x"], ["result"]),
        (lambda: old_sbuf(4, 8).astype(nl.bfloat16), ["src"], ["result"]),
    ],
)
def test_one_call_is_one_operation(action: Any, reads: list[str], writes: list[str]) -> None:
    (operation,) = recorded(action)
    assert sorted(operation.reads) == reads
    assert sorted(operation.writes) == writes


def test_assigning_in_place_is_one_operation() -> None:
    def action() -> None:
        rows, columns = old_nl.mgrid[0:4, 0:8]
        tile = old_psum(8, 16)
        tile[rows, columns + 2] += old_sbuf(4, 8)
        tile[0:4, 0:8] = 0

    added, set_to_zero = recorded(action)
    assert (added.name, list(added.reads), list(added.writes)) == ("nl.add", ["x", "y"], ["dst"])
    assert added.reads["x"] is added.writes["dst"]
    assert added.writes["dst"].offset == 2
    assert set_to_zero.attributes == {"value": 0}


def test_masks_operators_and_flags_are_recorded() -> None:
    def action() -> None:
        rows, columns = old_nl.mgrid[0:4, 0:8]
        old_nl.load(old_hbm(3, 8)[rows, columns], mask=rows < 3)
        nisa.tensor_scalar(sbuf(4, 8), sbuf(4, 8), nl.subtract, 2.0, reverse0=True)

    load, scaled = recorded(action)
    assert load.mask is not None
    assert load.engine == "dma"
    assert scaled.mask is None
    assert scaled.attributes["op0"] is OPERATORS["subtract"]
    assert scaled.attributes["operand0"] == 2.0
    assert scaled.attributes["reverse0"] is True


def test_an_index_that_moves_an_operand_is_read() -> None:
    def action() -> None:
        rows = hbm(64, 8).ap([[8, 16], [1, 8]], vector_offset=sbuf(16, 1, dtype=nl.int32))
        nisa.dma_copy(sbuf(16, 8), rows, oob_mode=nisa.oob_mode.skip)

    (copied,) = recorded(action)
    assert sorted(copied.reads) == ["src", "src.index"]


@pytest.mark.parametrize(
    ("action", "legacy"),
    [
        (lambda: nisa.tensor_copy(dst=sbuf(4, 6), src=sbuf(4, 6)), False),
        (lambda: nisa.dma_copy(dst=sbuf(4, 6), src=hbm(8, 6).vector_select(0, sbuf(4, 1, dtype=nl.int32))), False),
        (lambda: old_nl.atomic_rmw(_rows_of(old_hbm(8, 6)), old_sbuf(4, 6), nl.add), True),
    ],
    ids=["plain", "rows", "legacy"],
)
def test_views_are_recorded_as_data_without_what_kernels_do_with_tensors(action: Any, legacy: bool) -> None:
    (operation,) = recorded(action)
    indices = [view.indirect_by.index for view in operation.views if view.indirect_by is not None]
    for view in (*operation.views, *indices):
        assert isinstance(view, RecordedView)
        assert not hasattr(view, "__getitem__") and not hasattr(view, "reshape")
        assert view.legacy is legacy and not view.bounds


def test_an_operand_that_is_read_and_written_is_one_view() -> None:
    def overwrites() -> None:
        tile = sbuf(4, 6)
        nisa.tensor_copy_predicated(dst=tile, src=tile, predicate=sbuf(4, 6, dtype=nl.uint8))

    (operation,) = recorded(overwrites)
    assert operation.reads["dst"] is operation.writes["dst"] is operation.reads["src"]
