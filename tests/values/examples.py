"""Operations with an index, an axis, a count, an offset, a pattern or a stride: an example each, worked out by hand.

A row has the sentence of the documentation that says the result, by the id of the reference or by its page, the arrays
that are given, the call, and the numbers that it leaves in `r`, in SBUF, or `R`, in HBM. Arrays with capital names are
in HBM, the others are loaded. No page's own example is in the reference; each row is what its sentence says of numbers
that show which elements are taken: 10 * row + column, and the like.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """An example of the operations `names`."""

    names: str
    source: str
    given: Mapping[str, Array]
    text: str
    gives: Any
    hardware: str = "trn2"
    grid: int = 0


def f32(values: Any) -> Array:
    return np.array(values, np.float32)


def i32(values: Any) -> Array:
    return np.array(values, np.int32)


def u32(values: Any) -> Array:
    return np.array(values, np.uint32)


def half(values: Any) -> Array:
    return np.array(values, np.float16)


def bf16(values: Any) -> Array:
    return np.array(values, ml_dtypes.bfloat16)


def placed(rows: int, columns: int) -> Array:
    """10 * row + column."""
    return f32(10 * np.arange(rows)[:, None] + np.arange(columns))


def per_row(first: list[int], rows: int, step: int = 10) -> Array:
    """`first` in row 0, and `step` more in each row after it."""
    return f32(np.array(first) + step * np.arange(rows)[:, None])


def first_rows(values: list[int], rows: int = 16, columns: int = 1) -> Array:
    """An index of GpSimd: its column 0 from the first partition of a core on, 0 elsewhere."""
    found = np.zeros((rows, columns), np.uint16)
    for place, value in enumerate(values):
        found[place % 16, place // 16] = value
    return found


CAUSAL = "r = new(3, 4); nisa.affine_select(r, [[-1, 4]], 1, a, -1.0"
FOUND8 = f32([[3, 1, 9, 7, 5, 5, 0, 2, 8, 4]])
GREATEST = f32([[9, 8, 7, 5, 5, 4, 3, 2]])
NEXT = f32([[5, 1, 5, 2, 9, 3, 0, 7, 5, 6]])
THREE = f32(np.arange(12).reshape(2, 2, 3))
LEAST = -3.4028234663852886e38

CURRENT = [
    # --- patterns ---
    Row("nisa.iota", "iota.count, iota.i32; affine_select.pred", {}, "r = new(2, 2, 3, dtype=nl.int32); "
        "nisa.iota(r, [[10, 2], [1, 3]], 5, 100)", [[[5, 6, 7], [15, 16, 17]], [[105, 106, 107], [115, 116, 117]]]),
    Row("nisa.iota", "iota.count, iota.i32", {}, "r = new(2, 3); nisa.iota(r, [[-2, 3]], 1)",
        [[1, -1, -3], [1, -1, -3]]),
    Row("nisa.affine_select", "affine_select.pred: default equal", {"a": placed(3, 4)}, CAUSAL + ")",
        [[0, -1, -1, -1], [-1, 11, -1, -1], [-1, -1, 22, -1]]),
    Row("nisa.affine_select", "affine_select.pred", {"a": placed(3, 4)}, CAUSAL + ", nl.greater_equal)",
        [[0, -1, -1, -1], [10, 11, -1, -1], [20, 21, 22, -1]]),
    Row("nisa.affine_select", "affine_select.pred: offset", {"a": placed(3, 4)}, CAUSAL + ", nl.greater, 1)",
        [[0, -1, -1, -1], [10, 11, -1, -1], [20, 21, 22, -1]]),
    Row("nisa.range_select", "range_select.ops, range_select.start", {
        "a": placed(2, 4), "b": f32([[11], [10]]), "c": f32([[13], [11]])},
        "r = new(2, 4); nisa.range_select(dst=r, on_true_tile=a, comp_op0=nl.greater_equal, comp_op1=nl.less, bound0=b,"
        " bound1=c, range_start=10, on_false_value=LEAST)",
        [[LEAST, 1, 2, LEAST], [10, LEAST, LEAST, LEAST]]),
    # --- gathers ---
    Row("nisa.nc_n_gather", "n_gather.shape, n_gather.range",
        {"a": placed(2, 3), "i": u32([[2, 0, 0, 1], [1, 1, 2, 0]])},
        "r = new(2, 4); nisa.nc_n_gather(r, a, i)", [[2, 0, 0, 1], [11, 11, 12, 10]]),
    Row("nl.gather_flattened", "nl.gather_flattened: flattened free dims; L:gather_flattened", {
        "a": f32([[[0, 1], [2, 3]], [[10, 11], [12, 13]]]), "i": u32([[3, 0, 2], [1, 1, 3]])},
        "r = nl.gather_flattened(a, i)", [[3, 0, 2], [11, 11, 13]]),
    Row("nisa.local_gather", "local_gather; ti.index_layout: offset i is index[i % 16, i // 16]", {
        "a": placed(16, 8), "i": first_rows([7, 0, 2, 2])},
        "r = new(16, 4); nisa.local_gather(r, a, i, 1, 4)", per_row([7, 0, 2, 2], 16)),
    Row("nisa.local_gather", "local_gather: the index says where num_elem_per_idx elements start", {
        "a": placed(16, 8), "i": first_rows([6, 0, 3])},
        "r = new(16, 6); nisa.local_gather(r, a, i, 2, 3)", per_row([6, 7, 0, 1, 3, 4], 16)),
    Row("nisa.local_gather", "local_gather: four elements an index", {"a": placed(16, 8), "i": first_rows([4, 1])},
        "r = new(16, 2, 4); nisa.local_gather(r, a, i, 4, 2)",
        per_row([4, 5, 6, 7, 1, 2, 3, 4], 16).reshape(16, 2, 4)),
    Row("nisa.local_gather", "local_gather: the index goes on in its next column; each core has its own", {
        "a": placed(32, 8), "i": np.concatenate([first_rows([0] * 16 + [5], columns=2), first_rows([1] * 16 + [6],
        columns=2)])}, "r = new(32, 17); nisa.local_gather(r, a, i, 1, 17)",
        np.concatenate([per_row([0] * 16 + [5], 16), 160 + per_row([1] * 16 + [6], 16)])),
    Row("nisa.nc_stream_shuffle", "shuffle.mask_len: partition i takes mask[i], 255 leaves it; shuffle.quadrant", {
        "a": f32(np.arange(64)[:, None])},
        "r = new(64, 1); nisa.memset(r, -1.0); nisa.nc_stream_shuffle(r, a, [31, 0, 255] + [3] * 29)",
        f32([31, 0, -1] + [3] * 29 + [63, 32, -1] + [35] * 29)[:, None]),
    Row("nisa.dma_transpose", "dma_transpose.axes: (1, 0)", {"A": half([[0, 1, 2], [10, 11, 12]])},
        "r = new(3, 2, dtype=nl.float16); nisa.dma_transpose(r, A, (1, 0))", [[0, 10], [1, 11], [2, 12]]),
    Row("nisa.dma_transpose", "dma_transpose.axes: (2, 1, 0)", {"A": half(np.arange(12).reshape(2, 2, 3))},
        "r = new(3, 2, 2, dtype=nl.float16); nisa.dma_transpose(r, A, (2, 1, 0))",
        [[[0, 6], [3, 9]], [[1, 7], [4, 10]], [[2, 8], [5, 11]]]),
    Row("nisa.dma_transpose", "dma_transpose.axes: (3, 1, 2, 0)", {"A": half(np.arange(8).reshape(2, 2, 1, 2))},
        "r = new(2, 2, 1, 2, dtype=nl.float16); nisa.dma_transpose(r, A, (3, 1, 2, 0))",
        [[[[0, 4]], [[2, 6]]], [[[1, 5]], [[3, 7]]]]),
    Row("nisa.dma_transpose", "dma_transpose.indirect_sem: dst = src[indices.T.flatten()[:src.shape[0]]].T", {
        "A": half(placed(16, 2)), "i": u32([[15], [0], [3], *[[1]] * 13])},
        "r = new(2, 16, dtype=nl.float16); nisa.dma_transpose(r, A.ap([[2, 16], [1, 2]], vector_offset=i))",
        [[150, 0, 30] + [10] * 13, [151, 1, 31] + [11] * 13]),
    Row("nl.load nl.store", "nl.load.src, nl.store.value, nl.ds", {"A": placed(3, 4)}, "R = hbm(2, 2); "
        "nl.store(R[nl.ds(1, 1), :], nl.load(A[2:3, 1:4:2])); nl.store(R[0:1, :], nl.load(A[0:1, nl.ds(2, 2)]))",
        [[2, 3], [21, 23]]),
    Row("nisa.dma_copy", "ap.vector_offset: one row index a partition", {"A": placed(5, 3), "i": i32([[4], [0], [4]])},
        "r = new(3, 3); nisa.dma_copy(r, A.ap([[3, 3], [1, 3]], vector_offset=i))",
        [[40, 41, 42], [0, 1, 2], [40, 41, 42]]),
    Row("nisa.dma_copy", "dma_copy.oob: skip leaves rows of dst untouched", {"A": placed(3, 2), "i": i32([[2], [9]])},
        "r = new(2, 2); nisa.memset(r, -1.0); nisa.dma_copy(r, A.ap([[2, 2], [1, 2]], vector_offset=i), "
        "oob_mode=nisa.oob_mode.skip)", [[20, 21], [-1, -1]]),
    Row("nisa.dma_copy", "ap.vector_offset, of dst: a scatter", {"A": placed(4, 2), "b": f32([[1, 2], [3, 4]]),
        "i": i32([[3], [1]])}, "R = A; nisa.dma_copy(R.ap([[2, 2], [1, 2]], vector_offset=i), b)",
        [[0, 1], [3, 4], [20, 21], [1, 2]]),
    Row("nisa.dma_copy", "ap.scalar_offset: offset + scalar * prod(base.shape[indirect_dim + 1:])", {
        "A": placed(5, 3), "i": i32([[2]])},
        "r = new(2, 3); nisa.dma_copy(r, A.ap([[3, 2], [1, 3]], scalar_offset=i, indirect_dim=0))",
        [[20, 21, 22], [30, 31, 32]]),
    Row("nisa.dma_copy", "ap.scalar_offset, with indirect_dim 1 and an offset", {"A": placed(3, 4), "i": i32([[2]])},
        "r = new(2, 2); nisa.dma_copy(r, A.ap([[4, 2], [1, 2]], offset=4, scalar_offset=i, indirect_dim=1))",
        [[12, 13], [22, 23]]),
    Row("nisa.dma_compute", "dma_compute.rmw: scatter", {"A": placed(4, 2), "b": f32([[100, 200], [300, 400]]),
        "i": u32([[3], [1]])}, "R = A; at = R.ap([[2, 2], [1, 2]], vector_offset=i); "
        "nisa.dma_compute(at, [at, b], nl.add, unique_indices=True)", [[0, 1], [310, 411], [20, 21], [130, 231]]),
    # --- searches ---
    Row("nisa.max8", "max8.n: descending", {"a": FOUND8}, "r = new(1, 8); nisa.max8(r, a)", GREATEST),
    Row("nisa.nc_find_index8", "find8.n; equal values find successive places", {"a": FOUND8, "b": GREATEST},
        "r = new(1, 8, dtype=nl.uint32); nisa.nc_find_index8(r, a, b)", [[2, 8, 3, 4, 5, 9, 0, 7]]),
    Row("nisa.nc_find_index8", "find8.n: an absent value gives all ones", {"a": FOUND8, "b": f32([[6, 0] + [9] * 6])},
        "r = new(1, 8, dtype=nl.uint16); nisa.nc_find_index8(r, a, b)", [[65535, 6, 2] + [65535] * 5]),
    Row("nisa.nc_match_replace8", "match8.vals: duplicates are matched from i = 7 downward", {
        "a": NEXT, "b": f32([[5, 5, 1, 2, 9, 3, 0, 7]])},
        "r = new(1, 10); nisa.nc_match_replace8(r, a, b, -1.0)", [[-1] * 8 + [5, 6]]),
    Row("nisa.nc_match_replace8", "match8.vals: where they were, in dst_idx", {
        "a": NEXT, "b": f32([[5, 5, 1, 2, 9, 3, 0, 7]])}, "s = new(1, 10); r = new(1, 8, dtype=nl.uint32); "
        "nisa.nc_match_replace8(s, a, b, -1.0, r)", [[2, 0, 1, 3, 4, 5, 6, 7]]),
    Row("nisa.nonzero_with_count", "nzc.shape", {"a": f32([[0, 3, 0, 4]])},
        "r = new(1, 5, dtype=nl.int32); nisa.nonzero_with_count(r, a, 10, -7)", [[11, 13, -7, -7, 2]]),
    Row("nisa.nonzero_with_count", "nzc.partitions: 0, 16, …; others stay",
        {"a": f32([[0, 5]] + [[1, 1]] * 15 + [[6, 0]])},
        "r = new(17, 3, dtype=nl.int32); nisa.memset(r, 9); nisa.nonzero_with_count(r, a)",
        [[1, -1, 1]] + [[9, 9, 9]] * 15 + [[0, -1, 1]]),
    Row("nisa.sequence_bounds", "seqb.p1: id 0 gives (n, -1)", {"a": i32([[1, 1, 2, 0]])},
        "r = new(1, 2, 4, dtype=nl.int32); nisa.sequence_bounds(r, a)", [[[0, 0, 2, 4], [2, 2, 3, -1]]]),
    Row("nisa.bn_stats nisa.bn_aggr", "bn_stats.dst6: even, then odd positions; bn_aggr.mod3",
        {"a": f32([[1, 10, 3, 20]])},
        "r = new(1, 6); nisa.bn_stats(r, a)", [[2, 2, 2, 2, 15, 50]]),
    Row("nisa.bn_aggr", "bn_aggr.mod3: mean, variance", {"a": f32([[2, 2, 2, 2, 15, 50]])},
        "r = new(1, 2); nisa.bn_aggr(r, a)", [[8.5, 55.25]]),
    # --- axes ---
    Row("nisa.tensor_reduce", "tensor_reduce.axis_last, axis_fix_030", {"a": THREE},
        "r = new(2, 2); nisa.tensor_reduce(r, nl.add, a, 2)", [[3, 12], [21, 30]]),
    Row("nisa.tensor_reduce", "tensor_reduce.axis_last: (1, 2); negate", {"a": THREE},
        "r = new(2, 1); nisa.tensor_reduce(r, nl.maximum, a, [1, 2], negate=True)", [[-5], [-11]]),
    Row("nisa.tensor_partition_reduce", "tpr.op, tpr.shape", {"a": placed(3, 2)},
        "r = new(1, 2); nisa.tensor_partition_reduce(r, nl.add, a)", [[30, 33]]),
    Row("nl.sum", "nl.reduce.axis, nl.reduce.shape", {"a": THREE}, "r = nl.sum(a, axis=2)", [[3, 12], [21, 30]]),
    Row("nl.max", "nl.reduce.axis, nl.reduce.shape", {"a": THREE}, "r = nl.max(a, axis=[1, 2], keepdims=True)",
        [[[5]], [[11]]]),
    Row("nl.min", "nl.reduce.axis, nl.reduce.shape", {"a": THREE}, "r = nl.min(a, axis=2)", [[0, 3], [6, 9]]),
    Row("nl.mean", "nl.reduce.axis; nl.mean", {"a": THREE}, "r = nl.mean(a, axis=2)", [[1, 4], [7, 10]]),
    Row("nl.prod", "nl.reduce.axis", {"a": THREE}, "r = nl.prod(a, axis=2)", [[0, 60], [336, 990]]),
    Row("nl.var", "nl.reduce.axis; nl.var.keepdims: always kept", {"a": f32([[1, 3], [2, 8]])}, "r = nl.var(a, axis=1)",
        [[1], [9]]),
    Row("nl.all", "nl.reduce.axis", {"a": f32([[1, 0], [2, 8]])}, "r = new(2, 1); "
        "nisa.tensor_copy(r, nl.all(a, axis=1, dtype=nl.float32))", [[0], [1]]),
    Row("nl.softmax", "nl.softmax: axis -1",
        {"a": f32([[0, np.log(3)]])}, "r = nl.softmax(a, axis=-1)", [[0.25, 0.75]]),
    Row("nl.rms_norm", "nl.rms_norm: x / RMS(x) * w, n is the count of the mean",
        {"a": f32([[1, 7]]), "b": f32([[5, 10]])},
        "r = nl.rms_norm(a, b, 1, 2, 0.0)", [[1, 14]]),
    Row("nl.rms_norm", "nl.rms_norm: n counts, whatever the axis is", {"a": f32([[6, 8]]), "b": f32([[1, 2]])},
        "r = nl.rms_norm(a, b, 1, 4, 0.0)", [[1.2, 3.2]]),
    Row("nl.expand_dims", "nl.expand_dims: 1 inserted", {"a": placed(2, 3)}, "r = nl.expand_dims(a, 1)",
        [[[0, 1, 2]], [[10, 11, 12]]]),
    # --- products ---
    Row("nisa.nc_matmul", "nc_matmul.tiling_sizes, nc_matmul.tiling_pos",
        {"a": f32([[1, 2], [3, 4]]), "b": f32([[5], [6]])},
        "p = new(2, 1, buffer=nl.psum); nisa.nc_matmul(p, a, b, tile_position=(64, 0), tile_size=(64, 128)); "
        "r = nl.copy(p)", [[23], [34]]),
    Row("nisa.nc_matmul", "nc_matmul.double_row_shape: contraction 2K", {
        "a": np.array([[[1, 2], [3, 4]]], ml_dtypes.float8_e5m2), "b": np.array([[[5], [6]]], ml_dtypes.float8_e5m2)},
        "p = new(2, 1, buffer=nl.psum); nisa.nc_matmul(p, a, b, perf_mode=nisa.matmul_perf_mode.double_row); "
        "r = nl.copy(p)", [[23], [34]]),
    Row("nisa.nc_matmul_mx nisa.quantize_mx", "matmul_mx.row_tiling, matmul_mx.out: contraction 4K", {
        "a": bf16(np.ones((32, 8))), "b": bf16(2 * np.ones((32, 4)))},
        "x, s, y, t = new(32, 2, dtype=nl.float8_e4m3fn_x4), new(4, 2, dtype=nl.uint8), "
        "new(32, 1, dtype=nl.float8_e4m3fn_x4), new(4, 1, dtype=nl.uint8); nisa.quantize_mx(x, a, s); "
        "nisa.quantize_mx(y, b, t); p = new(2, 1, buffer=nl.psum); "
        "nisa.nc_matmul_mx(p, x, y, s, t, tile_position=(0, 0), tile_size=(32, 128)); r = nl.copy(p)", [[256], [256]],
        hardware="trn3"),
    Row("nl.shared_identity_matrix", "nl.shared_identity_matrix", {}, "m = nl.shared_identity_matrix(3); "
        "r = new(3, 3, dtype=nl.uint8); nisa.tensor_copy(r, m)", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    # --- loops, programs ---
    Row("nl.affine_range nl.sequential_range nl.static_range nl.ds", "loop.range; idx.ds", {"a": placed(1, 9)},
        "r = new(1, 9); nisa.memset(r, -1.0); "
        "[nisa.tensor_copy(r[:, nl.ds(i, 1)], a[:, nl.ds(i, 1)]) for i in nl.affine_range(1, 9, 3)]; "
        "[nisa.memset(r[:, i:i + 1], 50.0) for i in nl.sequential_range(2)]; "
        "[nisa.memset(r[:, i:i + 1], 60.0) for i in nl.static_range(5, 7)]",
        [[50, 50, -1, -1, 4, 60, 60, 7, -1]]),
    Row("nl.fori_loop", "loop.fori", {"A": placed(6, 2)}, "R = hbm(6, 2); nisa.dma_copy(R, A); "
        "nl.fori_loop(1, 6, lambda i: nisa.dma_copy(R.ap([[2, 1], [1, 2]], scalar_offset=i), A[0:1]), step=2)",
        [[0, 1], [0, 1], [20, 21], [0, 1], [40, 41], [0, 1]]),
    Row("nl.dynamic_range", "loop.dynamic_range", {"A": placed(5, 2)}, "R = hbm(5, 2); nisa.dma_copy(R, A)\n"
        "for i in nl.dynamic_range(2, 5, 2):\n    nisa.dma_copy(R.ap([[2, 1], [1, 2]], scalar_offset=i), A[0:1])",
        [[0, 1], [10, 11], [0, 1], [30, 31], [0, 1]]),
    Row("nl.program_id nl.num_programs", "lnc.ids", {"A": placed(2, 2)}, "R = hbm(2, 2); i = nl.program_id(0)\n"
        "t = nl.load(A[i:i + 1]); nisa.tensor_scalar(t, t, nl.multiply, 1.0 * nl.num_programs(0)); "
        "nl.store(R[1 - i:2 - i], t)", [[20, 22], [0, 2]], grid=2),
    Row("nisa.sendrecv", "sendrecv.operands: ranks", {"A": placed(2, 2)}, "R = hbm(2, 2); i = nl.program_id(0)\n"
        "t, u = nl.load(A[i:i + 1]), new(1, 2); nisa.sendrecv(t, u, 1 - i, 1 - i, 0); nl.store(R[i:i + 1], u)",
        [[10, 11], [0, 1]], grid=2),
    # --- views ---
    Row("NkiTensor.__getitem__", "idx.slice_size, idx.fewer_keys, idx.int_hbm_drops", {"A": THREE},
        "r = nl.load(A[1, :, 0:3:2])", [[6, 8], [9, 11]]),
    Row("NkiTensor.__getitem__", "idx.int_free_drops: (64, 64, 64)[:, 0, 10] is (64, 1)", {"a": THREE},
        "r = new(2, 1); nisa.tensor_copy(r, a[:, 1, 2])", [[5], [11]]),
    Row("NkiTensor.permute", "NkiTensor.permute: shape[dims[k]]", {"a": THREE},
        "r = new(2, 3, 2); nisa.tensor_copy(r, a.permute((0, 2, 1)))", [[[0, 3], [1, 4], [2, 5]], [[6, 9], [7, 10],
        [8, 11]]]),
    Row("NkiTensor.broadcast", "NkiTensor.broadcast: stride 0", {"a": f32([[[1, 2]], [[3, 4]]])},
        "r = new(2, 2, 2); nisa.tensor_copy(r, a.broadcast(1, 2))", [[[1, 2], [1, 2]], [[3, 4], [3, 4]]]),
    Row("NkiTensor.expand_dim NkiTensor.squeeze_dim", "NkiTensor.expand_dim, NkiTensor.squeeze_dim",
        {"a": placed(2, 2)},
        "r = new(2, 1, 2); nisa.tensor_copy(r, a.expand_dim(1).squeeze_dim(1).expand_dim(1))", [[[0, 1]], [[10, 11]]]),
    Row("NkiTensor.reshape_dim", "NkiTensor.reshape_dim: one -1", {"a": placed(2, 4)},
        "r = new(2, 2); nisa.tensor_copy(r, a.reshape_dim(1, (2, -1))[:, 1])", [[2, 3], [12, 13]]),
    Row("NkiTensor.flatten_dims", "NkiTensor.flatten_dims: both ends included", {"a": THREE},
        "r = new(2, 2); nisa.tensor_copy(r, a.flatten_dims(1, 2)[:, 2:4])", [[2, 3], [8, 9]]),
    Row("NkiTensor.reshape", "NkiTensor.reshape", {"a": placed(2, 4)},
        "r = new(2, 2); nisa.tensor_copy(r, a.reshape((2, 2, 2))[:, 1])", [[2, 3], [12, 13]]),
    Row("NkiTensor.rearrange", "NkiTensor.rearrange", {"a": placed(2, 4)},
        "r = new(2, 2, 2); nisa.tensor_copy(r, a.rearrange(('p', ('x', 'y')), ('p', 'y', 'x'), {'x': 2}))",
        [[[0, 2], [1, 3]], [[10, 12], [11, 13]]]),
    Row("NkiTensor.slice", "NkiTensor.slice: ceil((b - a) / step)", {"a": placed(2, 6)},
        "r = new(2, 3); nisa.tensor_copy(r, a.slice(1, 1, 6, 2))", [[1, 3, 5], [11, 13, 15]]),
    Row("NkiTensor.select", "NkiTensor.select(dim, int)",
        {"a": THREE}, "r = new(2, 3); nisa.tensor_copy(r, a.select(1, 1))",
        [[3, 4, 5], [9, 10, 11]]),
    Row("NkiTensor.select", "NkiTensor.select(dim, tensor)", {"A": THREE, "i": i32([[1]])},
        "r = new(2, 3); nisa.dma_copy(r, A.select(0, i))", [[6, 7, 8], [9, 10, 11]]),
    Row("NkiTensor.vector_select", "NkiTensor.vector_select: rows", {"A": placed(4, 2), "i": i32([[3], [3], [0]])},
        "r = new(3, 2); nisa.dma_copy(r, A.vector_select(0, i))", [[30, 31], [30, 31], [0, 1]]),
    Row("NkiTensor.view", "NkiTensor.view: last dim * old / new itemsize", {"a": i32([[1, 0x10002]])},
        "r = new(1, 4, dtype=nl.uint16); nisa.tensor_copy(r, a.view(nl.uint16))", [[1, 0, 2, 1]]),
    Row("NkiTensor.ap", "ap.shape: storage[offset + sum(step * i)]", {"a": placed(2, 6)},
        "r = new(2, 2, 2); nisa.tensor_copy(r, a.ap([[6, 2], [3, 2], [1, 2]], offset=1))",
        [[[1, 2], [4, 5]], [[11, 12], [14, 15]]]),
    Row("NkiTensor.indirect", "ti.index_layout: offset i is index[i % 16, i // 16]", {
        "a": placed(16, 8), "i": first_rows([5, 0, 7])},
        "r = new(16, 3); nisa.tensor_copy(r, a.indirect(i, 3), engine=nisa.engine.vector)", per_row([5, 0, 7], 16),
        hardware="trn3"),
]  # fmt: skip

LEGACY = [
    Row("nl.arange nl.load nl.store", "leg.arange; L:load", {"A": placed(4, 6)}, "p, f = nl.arange(2)[:, None], "
        "nl.arange(3)[None, :]; r = nl.load(A[p + 1, 2 * f])", [[10, 12, 14], [20, 22, 24]]),
    Row("nl.arange", "leg.arange: start, stop", {"A": placed(4, 6)}, "p, f = nl.arange(1, 3)[:, None], "
        "nl.arange(2)[None, :]; r = nl.load(A[p, f])", [[10, 11], [20, 21]]),
    Row("nl.mgrid", "leg.mgrid", {"A": placed(4, 6)}, "p, f = nl.mgrid[1:3, 2:5]; r = nl.load(A[p, f])",
        [[12, 13, 14], [22, 23, 24]]),
    Row("nl.ds", "leg.ds", {"A": placed(4, 6)}, "r = nl.load(A[nl.ds(2, 2), nl.ds(1, 3)])", [[21, 22, 23],
        [31, 32, 33]]),
    Row("nl.load", "L:load: indirect on the partition dim, the index (n, 1) in SBUF",
        {"A": placed(4, 2), "i": i32([[3], [0]])},
        "p, f = nl.arange(2)[:, None], nl.arange(2)[None, :]; r = nl.load(A[i[p, 0], f])", [[30, 31], [0, 1]]),
    Row("nl.store", "L:store: same indexing", {"A": placed(3, 2), "b": f32([[7, 8], [5, 6]]), "i": i32([[2], [0]])},
        "p, f = nl.arange(2)[:, None], nl.arange(2)[None, :]; R = hbm(3, 2); nl.store(R, nl.load(A)); "
        "nl.store(R[i[p, 0], f], b)", [[5, 6], [10, 11], [7, 8]]),
    Row("nl.atomic_rmw", "leg.atomic_rmw",
        {"A": placed(3, 2), "b": f32([[100, 200], [300, 400]]), "i": i32([[2], [0]])},
        "p, f = nl.arange(2)[:, None], nl.arange(2)[None, :]; R = hbm(3, 2); nl.store(R, nl.load(A)); "
        "nl.atomic_rmw(R[i[p, 0], f], value=b, op=np.add)", [[300, 401], [10, 11], [120, 221]]),
    Row("nisa.dma_copy", "L:dma_copy: dst_rmw_op",
        {"A": placed(3, 2), "b": f32([[100, 200], [300, 400]]), "i": i32([[2], [0]])},
        "p, f = nl.arange(2)[:, None], nl.arange(2)[None, :]; R = hbm(3, 2); nl.store(R, nl.load(A)); "
        "nisa.dma_copy(dst=R[i[p, 0], f], src=b, dst_rmw_op=np.add)", [[300, 401], [10, 11], [120, 221]]),
    Row("nisa.iota", "L:iota: an affine expression", {}, "p, f = nl.mgrid[0:2, 0:3]; "
        "r = nisa.iota(10 * p + 2 * f + 1, dtype=nl.int32)", [[1, 3, 5], [11, 13, 15]]),
    Row("nisa.affine_select", "L:affine_select: one affine comparison", {"a": placed(3, 4)},
        "p, f = nl.mgrid[0:3, 0:4]; r = nisa.affine_select(f <= p, a, -1.0)",
        [[0, -1, -1, -1], [10, 11, -1, -1], [20, 21, 22, -1]]),
    Row("nisa.range_select", "L:range_select", {"a": placed(2, 4), "b": f32([[11], [10]]), "c": f32([[13], [11]])},
        "r = nisa.range_select(on_true_tile=a, comp_op0=np.greater_equal, comp_op1=np.less, bound0=b, bound1=c, "
        "range_start=10)", [[LEAST, 1, 2, LEAST], [10, LEAST, LEAST, LEAST]]),
    Row("nl.gather_flattened", "L:gather_flattened", {
        "a": f32([[[0, 1], [2, 3]], [[10, 11], [12, 13]]]), "i": u32([[3, 0, 2], [1, 1, 3]])},
        "r = nl.gather_flattened(a, i)", [[3, 0, 2], [11, 11, 13]]),
    Row("nisa.local_gather", "local_gather: the index says where the elements start; (P, indices, elements)", {
        "a": placed(16, 8), "i": first_rows([6, 0, 3])}, "r = nisa.local_gather(a, i, 2, 3)",
        per_row([6, 7, 0, 1, 3, 4], 16).reshape(16, 3, 2)),
    Row("nisa.local_gather", "local_gather: (P, indices) with one element",
        {"a": placed(16, 8), "i": first_rows([7, 0, 2])},
        "r = nisa.local_gather(a, i, 1, 3)", per_row([7, 0, 2], 16)),
    Row("nisa.nc_stream_shuffle", "shuffle.mask_len, shuffle.quadrant", {"a": f32(np.arange(64)[:, None])},
        "r = nl.full((64, 1), -1.0, dtype=nl.float32); "
        "nisa.nc_stream_shuffle(src=a, dst=r, shuffle_mask=[31, 0, 255] + [3] * 29)",
        f32([31, 0, -1] + [3] * 29 + [63, 32, -1] + [35] * 29)[:, None]),
    Row("nisa.tensor_copy_dynamic_src", "L:tensor_copy_dynamic_src", {"a": placed(2, 4), "i": i32([[2]])},
        "r = nl.ndarray((2, 1), dtype=nl.float32); r[:, 0] = nisa.tensor_copy_dynamic_src(a[:, i[0, 0]])", [[2], [12]]),
    Row("nisa.tensor_copy_dynamic_src", "L:tensor_copy_dynamic_src", {"a": placed(2, 4), "i": i32([[1]])},
        "p, f = nl.arange(2)[:, None], nl.arange(2)[None, :]; r = nisa.tensor_copy_dynamic_src(a[p, i[0, 0] + f])",
        [[1, 2], [11, 12]]),
    Row("nisa.tensor_copy_dynamic_dst", "leg.tensor_copy_dynamic_dst", {"a": placed(2, 4), "i": i32([[3]])},
        "r = nl.copy(a); nisa.tensor_copy_dynamic_dst(dst=r[:, i[0, 0]], src=a[:, 0])", [[0, 1, 2, 0],
        [10, 11, 12, 10]]),
    Row("nisa.dma_transpose", "dma_transpose.axes: (2, 1, 0)",
        {"A": THREE}, "r = nisa.dma_transpose(A, axes=(2, 1, 0))",
        [[[0, 6], [3, 9]], [[1, 7], [4, 10]], [[2, 8], [5, 11]]]),
    Row("nisa.max8", "L:max8: descending", {"a": FOUND8}, "r = nisa.max8(src=a)", GREATEST),
    Row("nisa.nc_find_index8", "L:nc_find_index8",
        {"a": FOUND8, "b": GREATEST}, "r = nisa.nc_find_index8(data=a, vals=b)",
        [[2, 8, 3, 4, 5, 9, 0, 7]]),
    Row("nisa.nc_match_replace8", "match8.vals", {"a": NEXT, "b": f32([[5, 5, 1, 2, 9, 3, 0, 7]])},
        "r = nisa.nc_match_replace8(data=a, vals=b, imm=-1.0)", [[-1] * 8 + [5, 6]]),
    Row("nisa.nc_match_replace8", "match8.vals: where they were, in dst_idx", {
        "a": NEXT, "b": f32([[5, 5, 1, 2, 9, 3, 0, 7]])}, "r = nl.ndarray((1, 8), dtype=nl.uint32); "
        "nisa.nc_match_replace8(data=a, vals=b, imm=-1.0, dst_idx=r)", [[2, 0, 1, 3, 4, 5, 6, 7]]),
    Row("nisa.sequence_bounds", "seqb.p1", {"a": i32([[1, 1, 2, 0]])}, "r = nisa.sequence_bounds(segment_ids=a)",
        [[[0, 0, 2, 4], [2, 2, 3, -1]]]),
    Row("nisa.bn_stats", "bn_stats.dst6: even, then odd positions", {"a": f32([[1, 10, 3, 20]])},
        "r = nisa.bn_stats(a)", [[2, 2, 2, 2, 15, 50]]),
    Row("nisa.bn_aggr", "bn_aggr.mod3: mean, variance", {"a": f32([[2, 2, 2, 2, 15, 50]])}, "r = nisa.bn_aggr(a)",
        [[8.5, 55.25]]),
    Row("nisa.tensor_reduce", "L:tensor_reduce", {"a": THREE}, "r = nisa.tensor_reduce(np.add, a, axis=[2])",
        [[3, 12], [21, 30]]),
    Row("nisa.nc_matmul", "L:nc_matmul: tiling", {"a": f32([[1, 2], [3, 4]]), "b": f32([[5], [6]])},
        "r = nl.copy(nisa.nc_matmul(a, b, tile_position=(64, 0), tile_size=(64, 128)))", [[23], [34]]),
    Row("nl.sum", "L:sum: drops axes", {"a": THREE}, "r = nl.sum(a, axis=[2])", [[3, 12], [21, 30]]),
    Row("nl.max", "L:max: keepdims", {"a": THREE}, "r = nl.max(a, axis=[1, 2], keepdims=True)", [[[5]], [[11]]]),
    Row("nl.min", "L:min", {"a": THREE}, "r = nl.min(a, axis=[2])", [[0, 3], [6, 9]]),
    Row("nl.mean", "L:mean", {"a": THREE}, "r = nl.mean(a, axis=[2])", [[1, 4], [7, 10]]),
    Row("nl.prod", "L:prod", {"a": THREE}, "r = nl.prod(a, axis=[2])", [[0, 60], [336, 990]]),
    Row("nl.var", "L:var", {"a": f32([[1, 3], [2, 8]])}, "r = nl.var(a, axis=[1])", [[1], [9]]),
    Row("nl.all", "L:all", {"a": f32([[1, 0], [2, 8]])}, "r = nl.all(a, axis=[1], dtype=nl.float32)", [[0], [1]]),
    Row("nl.softmax", "L:softmax", {"a": f32([[0, np.log(3)]])}, "r = nl.softmax(a, axis=[1])", [[0.25, 0.75]]),
    Row("nl.rms_norm", "L:rms_norm", {"a": f32([[6, 8]]), "b": f32([[1, 2]])},
        "r = nl.rms_norm(a, b, axis=[1], n=4, epsilon=0.0)", [[1.2, 3.2]]),
    Row("nl.loop_reduce", "L:loop_reduce: b = op(b, x)", {"A": THREE}, "r = nl.zeros((2, 3), dtype=nl.float32)\n"
        "for i in nl.affine_range(2):\n    r[...] = nl.loop_reduce(nl.load(A[i]), op=np.add, loop_indices=[i])",
        [[6, 8, 10], [12, 14, 16]]),
    Row("nl.affine_range", "leg.affine_range", {"A": placed(6, 2)}, "R = hbm(6, 2); nl.store(R, nl.load(A))\n"
        "for i in nl.affine_range(1, 6, 2):\n    nl.store(R[nl.ds(i, 1)], nl.load(A[0:1]))",
        [[0, 1], [0, 1], [20, 21], [0, 1], [40, 41], [0, 1]]),
    Row("nl.sequential_range", "leg.sequential_range", {"A": placed(4, 2)}, "R = hbm(4, 2); nl.store(R, nl.load(A))\n"
        "for i in nl.sequential_range(3):\n    nl.store(R[nl.ds(i + 1, 1)], nl.load(R[nl.ds(i, 1)]))",
        [[0, 1], [0, 1], [0, 1], [0, 1]]),
    Row("nl.static_range", "leg.static_range", {"A": placed(4, 2)}, "R = hbm(4, 2); nl.store(R, nl.load(A))\n"
        "for i in nl.static_range(2, 4):\n    nl.store(R[nl.ds(i, 1)], nl.load(A[0:1]))",
        [[0, 1], [10, 11], [0, 1], [0, 1]]),
    Row("nl.expand_dims", "L:expand_dims: only after the last index", {"a": placed(2, 3)}, "r = nl.expand_dims(a, 2)",
        [[[0], [1], [2]], [[10], [11], [12]]]),
    Row("nl.shared_identity_matrix", "L:shared_identity_matrix", {}, "r = nl.load(nl.shared_identity_matrix(3))",
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    Row("nl.program_id nl.num_programs", "L:program_id, L:num_programs: None is the total", {"A": placed(2, 2)},
        "R = hbm(2, 2); i = nl.program_id(0); t = nl.load(A[nl.ds(i, 1)]); "
        "nl.store(R[nl.ds(i, 1)], t * (1.0 * nl.num_programs()))",
        [[0, 2], [20, 22]], grid=2),
    Row("tensor.reshape", "leg.tensor_methods: a view", {"A": placed(2, 4)}, "r = nl.load(A.reshape((4, 2)))",
        [[0, 1], [2, 3], [10, 11], [12, 13]]),
    Row("tensor.broadcast_to", "leg.tensor_methods", {"a": placed(1, 2)}, "r = nl.copy(a.broadcast_to((2, 2)))",
        [[0, 1], [0, 1]]),
    Row("tensor.view", "leg.tensor_methods",
        {"A": i32([[1, 0x10002]])}, "r = nl.load(A.view(nl.uint16))", [[1, 0, 2, 1]]),
    Row("tensor.expand_dims", "leg.tensor_methods", {"a": placed(2, 3)}, "r = nl.copy(a.expand_dims(2))",
        [[[0], [1], [2]], [[10], [11], [12]]]),
]  # fmt: skip
