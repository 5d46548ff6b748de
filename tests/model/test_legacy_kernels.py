"""Kernels in the legacy API, in forms the corpus does not have: index tensors everywhere, tiles with operators."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.model.dtypes import float16, float32, int8
from nkiverify.model.memory import PSUM, SHARED_HBM
from tests.model.stub_library import broken, hbm, old_nisa, old_nki, old_nl, value

Shape = tuple[int, ...]


def transpose(x: Any, rows: int, columns: int) -> Any:
    """One copy with symbolic steps in destination and source."""
    p, f = x.shape
    out = old_nl.ndarray((p, f), x.dtype, buffer=SHARED_HBM)
    tile = old_nl.load(x)
    result = old_nl.ndarray((p, columns * rows), x.dtype)
    i_p, i_r, i_c = old_nl.mgrid[0:p, 0:rows, 0:columns]
    result[i_p, i_c * rows + i_r] = old_nl.copy(tile[i_p, i_r * columns + i_c], dtype=result.dtype)
    old_nl.store(out, value=result)
    return out


def matmul(lhs_t: Any, rhs: Any) -> Any:
    """Hoisted loads into slabs with block dimensions, indexed through `.p` and `.x`."""
    (k, m), (_, n) = lhs_t.shape, rhs.shape
    result = old_nl.ndarray((m, n), lhs_t.dtype, buffer=SHARED_HBM)
    left, right = old_nl.mgrid[0:128, 0:128], old_nl.mgrid[0:128, 0:512]
    for row in old_nl.affine_range(m // 128):
        lhs_tiles = old_nl.ndarray((k // 128, old_nl.par_dim(128), 128), lhs_t.dtype)
        for inner in old_nl.affine_range(k // 128):
            lhs_tiles[inner, left.p, left.x] = old_nl.load(lhs_t[inner * 128 + left.p, row * 128 + left.x])
        for column in old_nl.affine_range(n // 512):
            total = old_nl.zeros((128, 512), float32, buffer=PSUM)
            for inner in old_nl.affine_range(k // 128):
                tile = old_nl.load(rhs[inner * 128 + right.p, column * 512 + right.x])
                total += old_nl.matmul(lhs_tiles[inner, left.p, left.x], tile, transpose_x=True)
            old_nl.store(result[row * 128 + right.p, column * 512 + right.x], old_nl.copy(total, dtype=result.dtype))
    return result


def attention(q: Any, k: Any, v: Any) -> Any:
    """Softmax by operators that broadcast along the free axis."""
    d, length = q.shape
    out = old_nl.ndarray((length, d), q.dtype, buffer=SHARED_HBM)
    scores = old_nl.matmul(old_nl.load(q), old_nl.load(k), transpose_x=True)
    weights = old_nl.exp(scores - old_nl.max(scores, axis=1, keepdims=True))
    weights = weights / old_nl.sum(weights, axis=1, keepdims=True)
    old_nl.store(out, old_nl.matmul(weights, old_nl.transpose(old_nl.load(v))))
    return out


def scan(delta: Any, a: Any, b: Any) -> Any:
    """A column loaded with an integer index, a row broadcast over the partitions."""
    channels, length = delta.shape
    out = old_nl.ndarray(delta.shape, delta.dtype, buffer=SHARED_HBM)
    total = old_nl.zeros((channels // 128, old_nl.par_dim(128), length), delta.dtype)
    for state in old_nl.affine_range(a.shape[1]):
        for tile in old_nl.affine_range(channels // 128):
            rows = slice(tile * 128, (tile + 1) * 128)
            decay = old_nisa.activation(old_nl.exp, old_nl.load(delta[rows, :]), scale=old_nl.load(a[rows, state]))
            row = old_nl.load(b[state : state + 1, 0:length]).broadcast_to((128, length))
            total[tile] += old_nisa.tensor_tensor_scan(decay, row, initial=0, op0=old_nl.multiply, op1=old_nl.add)
    for tile in old_nl.affine_range(channels // 128):
        old_nl.store(out[tile * 128 : (tile + 1) * 128, :], total[tile])
    return out


@pytest.mark.parametrize(
    ("kernel", "arguments", "shape"),
    [
        (transpose, lambda: (hbm(2, 12, dtype=int8), 3, 4), (2, 12)),
        (matmul, lambda: (hbm(256, 256, dtype=float16), hbm(256, 1024, dtype=float16)), (256, 1024)),
        (attention, lambda: (hbm(128, 64), hbm(128, 32), hbm(128, 32)), (64, 128)),
        (scan, lambda: (hbm(256, 16), hbm(256, 4), hbm(4, 16)), (256, 16)),
    ],
)
def test_good_kernels_break_nothing(kernel: Any, arguments: Any, shape: Shape) -> None:
    assert value(lambda: old_nki.jit(kernel)(*arguments())).shape == shape


@pytest.mark.parametrize(
    ("kernel", "arguments", "contract"),
    [
        (transpose, lambda: (hbm(2, 13, dtype=int8), 3, 4), "leg.assign_shape"),
        (transpose, lambda: (hbm(2, 11, dtype=int8), 3, 4), "leg.oob_static"),
        (matmul, lambda: (hbm(256, 256), hbm(128, 512)), "leg.oob_static"),
        (attention, lambda: (hbm(128, 129), hbm(128, 32), hbm(128, 32)), "nl.matmul.x"),
        (scan, lambda: (hbm(256, 16), hbm(256, 4), hbm(3, 16)), "idx.oob"),
    ],
)
def test_bad_shapes_are_found(kernel: Any, arguments: Any, contract: str) -> None:
    assert broken(lambda: old_nki.jit(kernel)(*arguments()))[0] == contract
