"""Contracts of selects, gathers, indirect views, registers, device loops and other DMAs: last legal, first illegal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.allocation import argument
from nkiverify.model.dtypes import DType, bfloat16, float32, int32, tfloat32, uint8, uint16, uint32
from nkiverify.model.following import following
from nkiverify.model.memory import PSUM, SBUF, SHARED_HBM, MemoryRegion
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.model.registry import OVERWRITES, Declaration
from tests.model.stub_library import Control, broken, hbm, left_open, nisa, nki, nl, psum, sbuf, value

GPSIMD_DMA = nisa.dma_engine.gpsimd_dma
HWDGE, SWDGE, STATIC = nisa.dge_mode.hwdge, nisa.dge_mode.swdge, nisa.dge_mode.none
SKIP = nisa.oob_mode.skip
LEAST = -3.4028235e38


def indices(*shape: int, low: int = 0, high: int = 0, dtype: DType = uint32) -> NkiTensor:
    """A tile of indices loaded from an argument whose elements are from `low` to `high`."""
    source = argument("indices", shape, dtype, SHARED_HBM, (low, high))
    loaded = sbuf(*shape, dtype=dtype)
    nisa.dma_copy(loaded, source)
    return loaded


def on_cores(body: Callable[[], object], cores: int = 2) -> None:
    """Run `body` as a kernel launched on that many cores."""

    def kernel() -> None:
        body()

    nki.jit(kernel)[cores]()


def register(number: int = 0) -> Any:
    """A register that holds `number`."""
    return nisa.register_alloc(number)


def rows(count: int = 4, *, of: int = 8, width: int = 2, high: int | None = None, dtype: DType = float32) -> NkiTensor:
    """`count` rows of an HBM tensor of `of` rows, chosen by indices up to `high`."""
    return hbm(of, width, dtype=dtype).ap(
        [[width, count], [1, width]], vector_offset=indices(count, 1, high=of - 1 if high is None else high)
    )


def select(**changes: Any) -> None:
    """A legal range_select, with changes."""
    arguments: dict[str, Any] = {
        "dst": sbuf(2, 8), "on_true_tile": sbuf(2, 8), "comp_op0": nl.greater_equal, "comp_op1": nl.less,
        "bound0": sbuf(2, 1), "bound1": sbuf(2, 1), "on_false_value": LEAST,
    }  # fmt: skip
    nisa.range_select(**{**arguments, **changes})


def reduce(**changes: Any) -> None:
    """A legal select_reduce, with changes."""
    arguments: dict[str, Any] = {
        "dst": sbuf(2, 8), "predicate": sbuf(2, 8, dtype=uint8), "on_true": sbuf(2, 8), "on_false": 0.0,
    }  # fmt: skip
    nisa.select_reduce(**{**arguments, **changes})


def gather(**changes: Any) -> None:
    """A legal local_gather, with changes."""
    arguments: dict[str, Any] = {
        "dst": sbuf(16, 32), "src_buffer": sbuf(16, 8), "index": sbuf(16, 2, dtype=uint16),
    }  # fmt: skip
    nisa.local_gather(**{**arguments, **changes})


def n_gather(**changes: Any) -> None:
    """A legal nc_n_gather, with changes."""
    arguments: dict[str, Any] = {"dst": sbuf(2, 3), "data": sbuf(2, 8), "indices": indices(2, 3, high=7)}
    nisa.nc_n_gather(**{**arguments, **changes})


def exchange(cores: int = 2, **changes: Any) -> None:
    """A legal sendrecv, with changes."""
    arguments: dict[str, Any] = {
        "src": sbuf(2, 256), "dst": sbuf(2, 256), "send_to_rank": 1, "recv_from_rank": 1, "pipe_id": 0,
    }  # fmt: skip
    on_cores(lambda: nisa.sendrecv(**{**arguments, **changes}), cores)


def affine(**changes: Any) -> None:
    """A legal affine_select, with changes."""
    arguments: dict[str, Any] = {
        "dst": sbuf(2, 8), "pattern": [[1, 8]], "channel_multiplier": 1, "on_true_tile": sbuf(2, 8),
        "on_false_value": 0.0,
    }  # fmt: skip
    nisa.affine_select(**{**arguments, **changes})


def transpose(**changes: Any) -> None:
    """A legal dma_transpose, with changes."""
    arguments: dict[str, Any] = {"dst": sbuf(8, 16, dtype=bfloat16), "src": hbm(16, 8, dtype=bfloat16)}
    nisa.dma_transpose(**{**arguments, **changes})


def gathering_transpose(count: int = 16, lanes: int = 16, dtype: DType = bfloat16, **changes: Any) -> None:
    """A dma_transpose of chosen rows."""
    source = hbm(32, 8, dtype=dtype).ap([[8, count], [1, 8]], vector_offset=indices(lanes, 1, high=31))
    nisa.dma_transpose(sbuf(8, count, dtype=dtype), source, **changes)


def add(count: int = 2, **changes: Any) -> None:
    """A legal dma_compute, with changes."""
    arguments: dict[str, Any] = {"dst": hbm(2, 4), "srcs": [sbuf(2, 4)] * count, "reduce_op": nl.add}
    nisa.dma_compute(**{**arguments, **changes})


def add_rows(**changes: Any) -> None:
    """A dma_compute that adds chosen rows to a tile."""
    total = sbuf(4, 2)
    nisa.dma_compute(**{"dst": total, "srcs": [total, rows()], "reduce_op": nl.add, **changes})


def escape(inside: bool) -> None:
    """A tensor of a loop body used in it or after it."""
    made: list[NkiTensor] = []

    def body(i: Any) -> None:
        made.append(sbuf(2, 4))
        nisa.memset(made[0], 0)

    nl.fori_loop(0, 4, body)
    if not inside:
        nisa.memset(made[0], 0)


def write_in_loop(frozen: bool) -> None:
    """The register of a loop written in its body: of a dynamic_range, or of loops whose pages allow it."""
    if frozen:
        for i in nl.dynamic_range(0, 4):
            nisa.register_move(i, 1)
    nl.fori_loop(0, 4, lambda i: nisa.register_move(i, 1))

    def again(condition: Any) -> Any:
        nisa.register_move(condition, 0)
        return condition

    nl.while_loop(register(), again)


def loop_without_order(inside: bool) -> None:
    """A device loop inside or after a block of fixed order."""
    with nl.no_reorder():
        if inside:
            nl.fori_loop(0, 4, lambda i: None)
    nl.fori_loop(0, 4, lambda i: None)


def gathered(tile: NkiTensor) -> NkiTensor:
    """Free elements of a tile, by a tile of indices."""
    return tile.indirect(sbuf(int(tile.shape[0]), 4, dtype=uint16), 4)


def scattered(region: MemoryRegion) -> NkiTensor:
    """Elements of a new tile."""
    return gathered(nl.ndarray((2, 8), float32, region))


def scattered_copy(region: MemoryRegion) -> None:
    """A copy to elements of a tile."""
    nisa.tensor_copy(scattered(region), sbuf(2, 4), nisa.engine.scalar)


def scattered_scalar(region: MemoryRegion) -> None:
    """A sum to elements of a tile."""
    nisa.tensor_scalar(scattered(region), sbuf(2, 4), nl.add, 1.0, engine=nisa.engine.scalar)


def scattered_activation(region: MemoryRegion) -> None:
    """An activation to elements of a tile."""
    nisa.activate2(scattered(region), nl.exp, sbuf(2, 4), 1.0, 0.0, nl.multiply, nl.add)


def product(**options: Any) -> None:
    """A matmul whose moving operand is chosen by indices."""
    wide = sbuf(64, 128, dtype=bfloat16)
    nisa.nc_matmul(psum(32, 4), sbuf(64, 32, dtype=bfloat16), gathered(wide), **options)


CONTROLS = [
    Control("affine_select.sbuf", lambda: affine(), lambda: affine(dst=psum(2, 8))),
    Control("affine_select.count", lambda: affine(pattern=[[1, 2], [0, 4]]), lambda: affine(pattern=[[1, 9]])),
    Control("affine_select.count", lambda: affine(), lambda: affine(on_true_tile=sbuf(3, 8))),
    Control("affine_select.integers", lambda: affine(offset=-3), lambda: affine(offset=0.5)),
    Control("affine_select.false_fp32", lambda: affine(), lambda: affine(on_false_value=None)),
    Control("affine_select.cmp", lambda: affine(cmp_op=nl.greater), lambda: affine(cmp_op=nl.add)),
    Control("iota.sbuf", lambda: nisa.iota(sbuf(2, 8), [[1, 8]]), lambda: nisa.iota(psum(2, 8), [[1, 8]])),
    Control("iota.count", lambda: nisa.iota(sbuf(2, 8), [[1, 8]]), lambda: nisa.iota(sbuf(2, 8), [[1, 7]])),
    Control(
        "iota.count",
        lambda: nisa.iota(sbuf(2, 16), [[1, 2]] * 4),
        lambda: nisa.iota(sbuf(2, 32), [[1, 2]] * 5),
    ),
    Control(
        "iota.integers",
        lambda: nisa.iota(sbuf(2, 8), [[1, 8]], 1, 2),
        lambda: nisa.iota(sbuf(2, 8), [[1, 8]], 1, 0.5),
    ),
    Control("range_select.gen3", lambda: select(), lambda: select(), hardware="trn1", legal_on="trn2"),
    Control("range_select.shape", lambda: select(), lambda: select(dst=sbuf(2, 9))),
    Control("range_select.ops", lambda: select(comp_op0=nl.equal), lambda: select(comp_op0=nl.not_equal)),
    Control("range_select.bounds", lambda: select(), lambda: select(bound0=sbuf(2, 2))),
    Control("range_select.bounds", lambda: select(), lambda: select(bound1=sbuf(2, 1, dtype=bfloat16))),
    Control("range_select.dtype", lambda: select(), lambda: select(on_true_tile=sbuf(2, 8, dtype=int32))),
    Control("range_select.false", lambda: select(on_false_value=...), lambda: select(on_false_value=0.0)),
    Control("range_select.reduce_op", lambda: select(reduce_op=nl.maximum), lambda: select(reduce_op=nl.add)),
    Control("range_select.start", lambda: select(range_start=2**24 - 8), lambda: select(range_start=2**24 - 7)),
    Control("range_select.reduce_res", lambda: select(reduce_res=sbuf(2, 1)), lambda: select(reduce_res=sbuf(2, 2))),
    Control(
        "range_select.nan",
        lambda: select(dst=sbuf(2, 8, dtype=bfloat16), reduce_res=sbuf(2, 1)),
        lambda: select(dst=sbuf(2, 8, dtype=bfloat16), reduce_res=sbuf(2, 1, dtype=bfloat16)),
    ),
    Control("select_reduce.psum", lambda: reduce(on_true=psum(2, 8)), lambda: _both_in_psum()),
    Control("select_reduce.shape", lambda: reduce(), lambda: reduce(dst=sbuf(2, 9))),
    Control("select_reduce.on_false", lambda: reduce(on_false=sbuf(2, 1)), lambda: reduce(on_false=sbuf(2, 2))),
    Control("select_reduce.dtypes", lambda: reduce(), lambda: reduce(on_true=sbuf(2, 8, dtype=tfloat32))),
    Control("select_reduce.dtypes", lambda: reduce(), lambda: reduce(predicate=sbuf(2, 8, dtype=uint32))),
    Control("select_reduce.reduce_op", lambda: reduce(), lambda: reduce(reduce_op=nl.add)),
    Control("select_reduce.reduce_res", lambda: reduce(reduce_res=sbuf(2, 1)), lambda: reduce(reduce_res=sbuf(2, 2))),
    Control("tcp.shape", lambda: predicated(), lambda: predicated(dst=sbuf(2, 9))),
    Control("tcp.shape", lambda: predicated(src=1.0), lambda: predicated(src=1.0, dst=sbuf(2, 9))),
    Control("tcp.pred_dtype", lambda: predicated(), lambda: predicated(predicate=sbuf(2, 8, dtype=int32))),
    Control("tcp.same_dtype", lambda: predicated(), lambda: predicated(src=sbuf(2, 8, dtype=bfloat16))),
    Control(
        "tcp.psum",
        lambda: predicated(src=psum(2, 8)),
        lambda: predicated(src=psum(2, 8), predicate=psum(2, 8, dtype=uint32)),
    ),
    Control(
        "shuffle.mask_len",
        lambda: nisa.nc_stream_shuffle(sbuf(2, 8), sbuf(2, 8), [255] + [31] * 31),
        lambda: nisa.nc_stream_shuffle(sbuf(2, 8), sbuf(2, 8), [32] + [31] * 31),
    ),
    Control(
        "shuffle.mask_len",
        lambda: nisa.nc_stream_shuffle(sbuf(2, 8), sbuf(2, 8), [0] * 32),
        lambda: nisa.nc_stream_shuffle(sbuf(2, 8), sbuf(2, 8), [0] * 31),
    ),
    Control(
        "shuffle.dtype",
        lambda: nisa.nc_stream_shuffle(sbuf(64, 8), sbuf(32, 8), [0] * 32),
        lambda: nisa.nc_stream_shuffle(sbuf(64, 8), sbuf(32, 9), [0] * 32),
    ),
    Control("local_gather.sbuf", lambda: gather(), lambda: gather(dst=psum(16, 32))),
    Control("local_gather.partitions", lambda: gather(), lambda: gather(src_buffer=sbuf(32, 8))),
    Control(
        "local_gather.nelem",
        lambda: gather(num_elem_per_idx=2, dst=sbuf(16, 64)),
        lambda: gather(num_elem_per_idx=3, dst=sbuf(16, 96)),
    ),
    Control("local_gather.count", lambda: gather(), lambda: gather(num_valid_indices=33, dst=sbuf(16, 33))),
    Control("local_gather.index_dtype", lambda: gather(), lambda: gather(index=sbuf(16, 2, dtype=uint32))),
    Control("local_gather.same_dtype", lambda: gather(), lambda: gather(dst=sbuf(16, 32, dtype=bfloat16))),
    Control("local_gather.known_060", lambda: gather(), lambda: gather(num_elem_per_idx=2)),
    Control(
        "local_gather.oob",
        lambda: gather(index=indices(16, 2, high=7, dtype=uint16)),
        lambda: gather(index=indices(16, 2, high=8, dtype=uint16)),
    ),
    Control(
        "local_gather.oob",
        lambda: gather(index=indices(16, 2, high=6, dtype=uint16), num_elem_per_idx=2, dst=sbuf(16, 64)),
        lambda: gather(index=indices(16, 2, high=7, dtype=uint16), num_elem_per_idx=2, dst=sbuf(16, 64)),
    ),
    Control("n_gather.sbuf", lambda: n_gather(), lambda: n_gather(dst=psum(2, 3))),
    Control("n_gather.dtype", lambda: n_gather(), lambda: n_gather(dst=sbuf(2, 3, dtype=bfloat16))),
    Control("n_gather.shape", lambda: n_gather(), lambda: n_gather(dst=sbuf(2, 4))),
    Control("n_gather.range", lambda: n_gather(), lambda: n_gather(indices=indices(2, 3, high=8))),
    Control("sendrecv.gen3_lnc2", lambda: exchange(2), lambda: exchange(1)),
    Control("sendrecv.ranks", lambda: exchange(), lambda: exchange(send_to_rank=2)),
    Control("sendrecv.operands", lambda: exchange(), lambda: exchange(dst=psum(2, 256))),
    Control("sendrecv.shape", lambda: exchange(), lambda: exchange(dst=sbuf(2, 255))),
    Control(
        "sendrecv.gpsimd_size",
        lambda: exchange(dma_engine=GPSIMD_DMA),
        lambda: exchange(src=sbuf(2, 257), dst=sbuf(2, 257), dma_engine=GPSIMD_DMA),
    ),
    Control(
        "core_barrier.cores",
        lambda: on_cores(lambda: nisa.core_barrier(hbm(2, 4), (0, 1))),
        lambda: on_cores(lambda: nisa.core_barrier(hbm(2, 4), (0, 2))),
    ),
    Control(
        "core_barrier.scope",
        lambda: on_cores(lambda: nisa.core_barrier(hbm(2, 4), (0, 1))),
        lambda: nisa.core_barrier(hbm(2, 4), (0, 1)),
    ),
    Control(
        "core_barrier.data",
        lambda: on_cores(lambda: nisa.core_barrier(hbm(2, 4), (0, 1))),
        lambda: on_cores(lambda: nisa.core_barrier(sbuf(2, 4), (0, 1))),
    ),
    Control("dma_transpose.axes", lambda: transpose(axes=(1, 0)), lambda: transpose(axes=(0, 1))),
    Control("dma_transpose.dst_shape", lambda: transpose(), lambda: transpose(dst=sbuf(16, 8, dtype=bfloat16))),
    Control("dma_transpose.dtype", lambda: transpose(), lambda: transpose(dst=sbuf(8, 16))),
    Control("dma_transpose.src_buffer", lambda: transpose(), lambda: transpose(src=psum(16, 8, dtype=bfloat16))),
    Control("dma_transpose.dst_buffer", lambda: transpose(), lambda: transpose(dst=psum(8, 16, dtype=bfloat16))),
    Control("dma_transpose.mode_direct", lambda: transpose(), lambda: transpose(dge_mode=SWDGE)),
    Control(
        "dma_transpose.hwdge_shape",
        lambda: transpose(dge_mode=HWDGE),
        lambda: transpose(dge_mode=HWDGE, src=hbm(17, 8, dtype=bfloat16), dst=sbuf(8, 17, dtype=bfloat16)),
    ),
    Control(
        "dma_transpose.hwdge_2byte",
        lambda: transpose(dge_mode=HWDGE),
        lambda: transpose(dge_mode=HWDGE, src=hbm(16, 8), dst=sbuf(8, 16)),
    ),
    Control("dma_transpose.indirect", lambda: gathering_transpose(), lambda: gathering_transpose(15)),
    Control("dma_transpose.indirect", lambda: gathering_transpose(), lambda: gathering_transpose(16, 17)),
    Control("dma_transpose.indirect_mode", lambda: gathering_transpose(), lambda: gathering_transpose(dtype=float32)),
    Control("dma_transpose.oob_skip", lambda: gathering_transpose(oob_mode=SKIP), lambda: transpose(oob_mode=SKIP)),
    Control(
        "dma_transpose.priority_gen4", lambda: transpose(priority=3), lambda: transpose(priority=4), hardware="trn3"
    ),
    Control("dma_compute.op", lambda: add(scales=[1.0, 1.0]), lambda: add(scales=[1.0, 2.0])),
    Control("dma_compute.op", lambda: add(), lambda: add(reduce_op=nl.multiply)),
    Control("dma_compute.count", lambda: add(16), lambda: add(17)),
    Control("dma_compute.count", lambda: add(), lambda: add(dst=hbm(2, 5))),
    Control("dma_compute.buffers", lambda: add(), lambda: add(srcs=[psum(2, 4)])),
    Control("dma_compute.rmw", lambda: add_rows(), lambda: add_rows(unique_indices=False)),
    Control("dma_compute.oob_skip", lambda: add_rows(oob_mode=SKIP), lambda: add(oob_mode=SKIP)),
    Control(
        "dma_copy.none_static",
        lambda: nisa.dma_copy(sbuf(4, 2), rows()),
        lambda: nisa.dma_copy(sbuf(4, 2), rows(), dge_mode=STATIC),
    ),
    Control(
        "dma_copy.hwdge_no_indirect",
        lambda: nisa.dma_copy(sbuf(4, 2), rows(), dge_mode=SWDGE),
        lambda: nisa.dma_copy(sbuf(4, 2), rows(), dge_mode=HWDGE),
    ),
    Control(
        "dma_copy.vector_offset",
        lambda: nisa.dma_copy(sbuf(4, 2), rows()),
        lambda: nisa.dma_copy(sbuf(4, 2), hbm(8, 2).ap([[2, 4], [1, 2]], vector_offset=indices(2, 2))),
    ),
    Control(
        "dma_copy.oob",
        lambda: nisa.dma_copy(sbuf(4, 2), rows(high=7)),
        lambda: nisa.dma_copy(sbuf(4, 2), rows(high=8)),
    ),
    Control(
        "dma_copy.oob",
        lambda: nisa.dma_copy(sbuf(4, 2), rows(high=8), oob_mode=SKIP),
        lambda: nisa.dma_copy(sbuf(4, 2), rows(high=8)),
    ),
    Control(
        "dma_copy.oob",
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(8, 4).ap([[4, 2], [1, 4]], scalar_offset=register(6))),
        lambda: nisa.dma_copy(sbuf(2, 4), hbm(8, 4).ap([[4, 2], [1, 4]], scalar_offset=register(7))),
    ),
    Control(
        "ap.dynamic_oob",
        lambda: nisa.memset(sbuf(2, 8).ap([[8, 2], [1, 4]], scalar_offset=register(4), indirect_dim=1), 0),
        lambda: nisa.memset(sbuf(2, 8).ap([[8, 2], [1, 4]], scalar_offset=register(5), indirect_dim=1), 0),
    ),
    Control(
        "ap.dynamic_oob",
        lambda: nl.load(hbm(4, 2, 3).select(0, indices(1, 1, high=3))),
        lambda: nl.load(hbm(4, 2, 3).select(0, indices(1, 1, high=4))),
    ),
    Control(
        "ap.scalar_offset",
        lambda: hbm(8, 4).ap([[4, 2], [1, 4]], scalar_offset=indices(1, 1)),
        lambda: hbm(8, 4).ap([[4, 2], [1, 4]], scalar_offset=indices(2, 1)),
    ),
    Control(
        "ap.vector_offset",
        lambda: rows(),
        lambda: hbm(8, 2).ap([[2, 5], [1, 2]], vector_offset=indices(4, 1)),
    ),
    Control(
        "ap.vector_offset",
        lambda: rows(),
        lambda: sbuf(8, 2).ap([[2, 4], [1, 2]], vector_offset=indices(4, 1)),
    ),
    Control(
        "ap.exclusive",
        lambda: rows(),
        lambda: hbm(8, 2).ap([[2, 1], [1, 2]], scalar_offset=register(), vector_offset=indices(1, 1)),
    ),
    Control(
        "view.one_indirection",
        lambda: hbm(4, 2, 3).select(0, register()).select(0, 1),
        lambda: hbm(4, 2, 3).select(0, register()).select(0, register()),
    ),
    Control(
        "view.select_dynamic",
        lambda: sbuf(2, 4, 3).select(1, register()),
        lambda: sbuf(2, 4, 3).select(1, indices(2, 1)),
    ),
    Control(
        "view.vector_select",
        lambda: hbm(8, 2).vector_select(0, indices(4, 1, high=7)),
        lambda: hbm(8, 2).vector_select(1, indices(4, 1)),
    ),
    Control(
        "view.indirect_dim",
        lambda: hbm(8, 2).vector_select(0, indices(4, 1)).slice(1, 0, 1),
        lambda: hbm(8, 2).vector_select(0, indices(4, 1)).slice(0, 0, 1),
    ),
    Control(
        "view.permute.partition",
        lambda: hbm(8, 2, 3).vector_select(0, indices(4, 1)).permute((0, 2, 1)),
        lambda: hbm(8, 2, 3).vector_select(0, indices(4, 1)).permute((1, 0, 2)),
    ),
    Control(
        "view.cast.indirect",
        lambda: hbm(8, 2).view(uint32).vector_select(0, indices(4, 1)),
        lambda: hbm(8, 2).vector_select(0, indices(4, 1)).view(uint32),
    ),
    Control(
        "view.rearrange",
        lambda: hbm(6, 4).rearrange((("a", "b"), "c"), ("b", ("a", "c")), {"a": 1}),
        lambda: hbm(6, 4).rearrange((("a", "b"), "c"), ("b", "a"), {"a": 2}),
    ),
    Control(
        "view.rearrange",
        lambda: hbm(6, 4).rearrange((("a", "b"), "c"), ("b", "a", "c"), {"a": 3}),
        lambda: hbm(6, 4).rearrange((("a", "b"), "c"), ("b", "a", "c"), {"a": 4}),
        also=("view.reshape_dim.count",),
    ),
    Control("ti.gen4", lambda: gathered(sbuf(2, 8)), lambda: gathered(sbuf(2, 8)), hardware="trn2", legal_on="trn3"),
    Control(
        "ti.index",
        lambda: sbuf(2, 8).indirect(sbuf(2, 4, dtype=uint16), 8),
        lambda: sbuf(2, 8).indirect(sbuf(2, 4, dtype=uint16), 9),
        hardware="trn3",
    ),
    Control(
        "ti.operands",
        lambda: nisa.tensor_tensor(sbuf(2, 4), gathered(sbuf(2, 8)), sbuf(2, 4), nl.add),
        lambda: nisa.tensor_tensor(sbuf(2, 4), sbuf(2, 4), gathered(sbuf(2, 8)), nl.add),
        hardware="trn3",
    ),
    Control("reg.python", lambda: register(), lambda: register() + 1),
    Control("reg.python", lambda: register(), lambda: list(range(register()))),
    Control("reg.python", lambda: register(), lambda: register() < 3),
    Control("register.operand", lambda: nisa.register_move(register(), 3), lambda: nisa.register_move(3, register())),
    Control("register_alloc.x", lambda: nisa.register_alloc(3), lambda: nisa.register_alloc(0.5)),
    Control(
        "register_move.src",
        lambda: nisa.register_move(register(), register()),
        lambda: nisa.register_move(register(), 0.5),
    ),
    Control(
        "register_load.src",
        lambda: nisa.register_load(register(), hbm(1, dtype=int32)),
        lambda: nisa.register_load(register(), hbm(2, dtype=int32)),
    ),
    Control(
        "register_store.dst",
        lambda: nisa.register_store(sbuf(1, 1, dtype=int32), register()),
        lambda: nisa.register_store(psum(1, 1, dtype=int32), register()),
    ),
    Control("loop.dynamic_range", lambda: nl.dynamic_range(register()), lambda: nl.dynamic_range(0, 4, register())),
    Control("loop.dynamic_range", lambda: nl.dynamic_range(0, 4, 2), lambda: nl.dynamic_range(4, 0, -1)),
    Control("loop.dynamic_frozen", lambda: write_in_loop(False), lambda: write_in_loop(True)),
    Control(
        "ti.operands",
        lambda: nisa.tensor_copy(sbuf(2, 4), gathered(sbuf(2, 8)), nisa.engine.vector),
        lambda: nisa.tensor_copy(sbuf(2, 4), gathered(sbuf(2, 8)), nisa.engine.gpsimd),
        hardware="trn3",
    ),
    *(
        Control("ti.scalar_dst_psum", partial(use, SBUF), partial(use, PSUM), hardware="trn3")
        for use in (scattered_copy, scattered_scalar, scattered_activation)
    ),
    Control("nc_matmul.ti", product, lambda: product(tile_position=(64, 0), tile_size=(64, 128)), hardware="trn3"),
    Control("nc_matmul.ti", product, lambda: product(is_transpose=True), hardware="trn3"),
    Control("loop.dynamic_no_reorder", lambda: loop_without_order(False), lambda: loop_without_order(True)),
    Control(
        "loop.while_loop", lambda: nl.while_loop(register(), lambda r: r), lambda: nl.while_loop(register(), bool_of)
    ),
    Control("loop.escape", lambda: escape(True), lambda: escape(False)),
]


def bool_of(condition: Any) -> bool:
    """What a loop body must not return."""
    return True


def predicated(**changes: Any) -> None:
    """A legal tensor_copy_predicated, with changes."""
    arguments: dict[str, Any] = {"dst": sbuf(2, 8), "src": sbuf(2, 8), "predicate": sbuf(2, 8, dtype=uint8)}
    nisa.tensor_copy_predicated(**{**arguments, **changes})


def _both_in_psum() -> None:
    reduce(on_true=psum(2, 8), predicate=psum(2, 8, dtype=uint8))


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()


def test_indices_without_a_range_leave_it_open_and_say_what_would_close_it() -> None:
    def unbounded() -> None:
        loaded = sbuf(4, 1, dtype=uint32)
        nisa.dma_copy(loaded, argument("indices", (4, 1), uint32))
        nisa.dma_copy(sbuf(4, 2), hbm(8, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))

    ((rule, why),) = left_open(unbounded)
    assert rule == "dma_copy.oob"
    assert why.endswith("--arg indices='uint32[4, 1] in 0..7'")


def test_indices_without_a_range_that_all_fit_are_legal() -> None:
    def bytes_of(rows_in_table: int) -> None:
        loaded = sbuf(4, 1, dtype=uint8)
        nisa.dma_copy(loaded, argument("indices", (4, 1), uint8))
        nisa.dma_copy(sbuf(4, 2), hbm(rows_in_table, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))

    assert left_open(lambda: bytes_of(256)) == []
    assert [rule for rule, _ in left_open(lambda: bytes_of(255))] == ["dma_copy.oob"]


def test_indices_that_nothing_has_written_are_not_known() -> None:
    def unwritten() -> None:
        nisa.dma_copy(sbuf(4, 2), hbm(8, 2).ap([[2, 4], [1, 2]], vector_offset=sbuf(4, 1, dtype=uint32)))

    assert [rule for rule, _ in left_open(unwritten)] == ["dma_copy.oob"]


def test_what_is_written_after_the_use_does_not_count() -> None:
    def rewritten(first: int, second: int) -> None:
        loaded = indices(4, 1, high=first)
        nisa.dma_copy(sbuf(4, 2), hbm(8, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))
        nisa.memset(loaded, second)
        nisa.dma_copy(sbuf(4, 2), hbm(10, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))

    assert broken(lambda: rewritten(7, 9)) == []
    assert broken(lambda: rewritten(8, 9)) == ["dma_copy.oob"]
    assert broken(lambda: rewritten(7, 10)) == ["dma_copy.oob"]


def test_what_overwrites_a_part_of_the_indices_joins_them() -> None:
    def rewritten(rows: int) -> None:
        loaded = indices(4, 1, high=9)
        nisa.memset(loaded[0:rows, :], 2)
        nisa.dma_copy(sbuf(4, 2), hbm(9, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))

    # A concrete run says no more than it knows: 9 may have been overwritten, or not.
    assert broken(lambda: rewritten(2)) == []
    assert broken(lambda: rewritten(4)) == []


def _unheard_of(dst: NkiTensor, src: NkiTensor) -> None:
    """An operation that writes and does not say what."""


unheard_of = following(
    _unheard_of,
    Declaration(name="nisa.unheard_of", dependence=None, engine="any", host=False, behaviour=OVERWRITES),
)


@pytest.mark.parametrize("by_name", [False, True])
def test_an_operation_that_says_nothing_of_what_it_writes_leaves_it_unknown(by_name: bool) -> None:
    def selected() -> None:
        loaded, chosen = indices(4, 1, high=7), indices(4, 1, high=3)
        if by_name:
            unheard_of(src=chosen, dst=loaded[0:1, :])
        else:
            unheard_of(loaded, chosen)
        nisa.dma_copy(sbuf(4, 2), hbm(8, 2).ap([[2, 4], [1, 2]], vector_offset=loaded))

    assert [rule for rule, _ in left_open(selected)] == ["dma_copy.oob"]


def test_what_a_function_returns_counts_where_a_part_is_filled() -> None:
    def added(rows_in_table: int) -> None:
        rows = nl.add(indices(4, 1, high=7), indices(4, 1, high=7))
        nisa.memset(rows[0:1, :], 0)
        nisa.dma_copy(sbuf(4, 2), hbm(rows_in_table, 2).ap([[2, 4], [1, 2]], vector_offset=rows))

    assert left_open(lambda: added(15)) == []
    assert [rule for rule, _ in left_open(lambda: added(14))] == ["dma_copy.oob"]


def test_patterns_and_constants_bound_indices() -> None:
    def counted(rows_in_table: int) -> None:
        places = sbuf(4, 1, dtype=uint32)
        nisa.iota(places, [[1, 1]], 3, 2)
        nisa.dma_copy(sbuf(4, 2), hbm(rows_in_table, 2).ap([[2, 4], [1, 2]], vector_offset=places))

    assert broken(lambda: counted(10)) == []
    assert broken(lambda: counted(9)) == ["dma_copy.oob"]


def test_the_body_of_a_device_loop_runs_once_for_every_iteration() -> None:
    def loop(stop: int) -> None:
        for i in nl.dynamic_range(0, stop, 2):
            nisa.dma_copy(sbuf(2, 4), hbm(8, 4).ap([[4, 2], [1, 4]], scalar_offset=i))

    assert broken(lambda: loop(8)) == []
    assert broken(lambda: loop(9)) == ["dma_copy.oob"]
    assert broken(lambda: loop(0)) == []


def test_the_truth_value_of_a_register_is_not_modelled() -> None:
    with pytest.raises(UnsupportedConstruct):
        value(lambda: bool(register()))


def test_an_operator_that_must_be_given_is_not_none() -> None:
    with pytest.raises(UnsupportedConstruct, match="None as an operator"):
        broken(lambda: add(reduce_op=None))


def test_a_register_indexes_a_dimension() -> None:
    def row(number: int) -> None:
        nisa.dma_copy(sbuf(1, 8), hbm(4, 8)[register(number), :])

    def columns(number: int) -> None:
        nisa.dma_copy(sbuf(4, 3), hbm(4, 8)[:, nl.ds(register(number), 3)])

    assert broken(lambda: columns(5)) == []
    assert broken(lambda: columns(6)) == ["dma_copy.oob"]
    assert broken(lambda: row(3)) == []
    assert broken(lambda: row(4)) == ["dma_copy.oob"]
    with pytest.raises(UnsupportedConstruct):
        value(lambda: sbuf(4, 8)[register(0), :])


def test_a_register_is_allocated_with_the_element_of_a_tile() -> None:
    def rows(high: int) -> None:
        index = nisa.register_alloc(indices(1, 1, high=high))
        nisa.dma_copy(sbuf(2, 4), hbm(8, 4).ap([[4, 2], [1, 4]], scalar_offset=index))

    assert broken(lambda: rows(6)) == []
    assert broken(lambda: rows(7)) == ["dma_copy.oob"]


@pytest.mark.parametrize(
    ("between", "known"), [("nothing", True), ("other data", False), ("changed data", False), ("changed values", False)]
)
def test_values_that_max8_took_are_found_in_the_same_data(between: str, known: bool) -> None:
    def searched() -> None:
        data, best, places = sbuf(4, 16), sbuf(4, 8), sbuf(4, 8, dtype=uint32)
        nisa.dma_copy(data, hbm(4, 16))
        nisa.max8(best, data)
        if between == "changed data":
            nisa.memset(data, 0.0)
        elif between == "changed values":
            nisa.memset(best[0:1, :], 0.0)
        nisa.nc_find_index8(places, sbuf(4, 16) if between == "other data" else data, best)
        nisa.dma_copy(sbuf(4, 2), hbm(16, 2).ap([[2, 4], [1, 2]], vector_offset=places[:, 0:1]))

    assert (left_open(searched) == []) == known
