"""Flash attention forward pass in the current API: the seven helpers of `pipelined_attention`, one after the other.

The same arithmetic without placement of memory and without pipelining, in sections of 2048 keys. Each kernel goes one
helper further than the one before it; only the last one computes o.
"""

import math

import nki
import nki.isa as nisa
import nki.language as nl

GROUP = 128
SECTION = 2048
KEY_TILE = 512
BLOCK = 128

SHELL = 0
LOAD_Q = 1
QK_AND_MAX = 2
UPDATE_MAX = 3
EXP = 4
TP = 5
PV = 6
WRITE_BACK = 7


@nki.jit
def attention_shell(q, k, v):
    """Checks and outer buffers."""
    return _forward(q, k, v, last_helper=SHELL)


@nki.jit
def attention_load_q(q, k, v):
    """As far as the load of the queries."""
    return _forward(q, k, v, last_helper=LOAD_Q)


@nki.jit
def attention_qk_and_max(q, k, v):
    """As far as the scores and their maxima."""
    return _forward(q, k, v, last_helper=QK_AND_MAX)


@nki.jit
def attention_update_max(q, k, v):
    """As far as the running maximum."""
    return _forward(q, k, v, last_helper=UPDATE_MAX)


@nki.jit
def attention_exp(q, k, v):
    """As far as the exponentials."""
    return _forward(q, k, v, last_helper=EXP)


@nki.jit
def attention_tp(q, k, v):
    """As far as the transposes."""
    return _forward(q, k, v, last_helper=TP)


@nki.jit
def attention_pv(q, k, v):
    """As far as the weighted sums of the values."""
    return _forward(q, k, v, last_helper=PV)


@nki.jit
def attention_full(q, k, v):
    """o of shape (b, seq_q, d) for q (b, d, seq_q), k (b, d, seq_k), v (b, seq_k, d)."""
    return _forward(q, k, v, last_helper=WRITE_BACK)


def _forward(q, k, v, last_helper):
    """The forward pass, as far as `last_helper`."""
    b, d, seq_q = q.shape
    seq_k = k.shape[2]
    assert k.shape == (b, d, seq_k), "k must be (b, d, seq_k)"
    assert v.shape == (b, seq_k, d), "v must be (b, seq_k, d)"
    assert d <= 128, "the head dimension must not exceed 128"
    assert seq_k % KEY_TILE == 0, f"the number of keys must be a multiple of {KEY_TILE}"
    groups = seq_k // GROUP
    sections = seq_q // SECTION

    o = nl.ndarray((b, seq_q, d), dtype=q.dtype, buffer=nl.shared_hbm)
    for batch in range(b):
        running_max = nl.ndarray((128, groups), dtype=nl.float32, buffer=nl.sbuf)
        running_sum = nl.ndarray((128, groups), dtype=nl.float32, buffer=nl.sbuf)
        inverse_sum = nl.ndarray((128, groups), dtype=nl.float32, buffer=nl.sbuf)
        for section in range(sections):
            start = section * SECTION
            k_tiles = [
                _load(k[batch, :, start + i * KEY_TILE : start + (i + 1) * KEY_TILE])
                for i in range(SECTION // KEY_TILE)
            ]
            v_tiles = [_load(v[batch, start + i * BLOCK : start + (i + 1) * BLOCK, :]) for i in range(SECTION // BLOCK)]
            for g in range(groups):
                rows = slice(g * GROUP, (g + 1) * GROUP)
                column = slice(g, g + 1)
                _group(
                    q[batch, :, rows],
                    k_tiles,
                    v_tiles,
                    o[batch, rows, :],
                    running_max[:, column],
                    running_sum[:, column],
                    inverse_sum[:, column],
                    section == 0,
                    section == sections - 1,
                    last_helper,
                )
    return o


def _group(q, k_tiles, v_tiles, o, running_max, running_sum, inverse_sum, is_first, is_last, last_helper):
    """One group of queries (q, o and the statistics are its own) against one section of keys, up to `last_helper`."""
    scaling = nl.ndarray((GROUP, 1), dtype=nl.float32, buffer=nl.sbuf)
    if last_helper >= LOAD_Q:
        q_tile = _load(q)
    if last_helper >= QK_AND_MAX:
        scores, partial_max = _qk_and_max(q_tile, k_tiles)
    if last_helper >= UPDATE_MAX:
        _update_max(partial_max, running_max, scaling, is_first)
    if last_helper >= EXP:
        exponentials, row_sum = _exp(scores, running_max)
    if last_helper >= TP:
        exponentials_t = _tp(exponentials)
    if last_helper >= PV:
        weighted = _pv(exponentials_t, v_tiles)
    if last_helper >= WRITE_BACK:
        _write_back(o, weighted, row_sum, running_sum, inverse_sum, scaling, is_first, is_last)


def _load(source):
    """Copy a matrix from HBM to a new SBUF tile of bfloat16."""
    tile = nl.ndarray(source.shape, dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def _qk_and_max(q_tile, k_tiles):
    """Scaled scores, and the maximum of each row within each tile of keys."""
    scale = 1.0 / math.sqrt(q_tile.shape[0])
    scores = nl.ndarray((GROUP, SECTION), dtype=nl.float32, buffer=nl.sbuf)
    partial_max = nl.ndarray((GROUP, len(k_tiles)), dtype=nl.float32, buffer=nl.sbuf)
    for i, k_tile in enumerate(k_tiles):
        product = nl.ndarray((GROUP, KEY_TILE), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=product, stationary=q_tile, moving=k_tile)
        nisa.tensor_scalar_reduce(
            dst=scores[:, i * KEY_TILE : (i + 1) * KEY_TILE],
            data=product,
            op0=nl.multiply,
            operand0=scale,
            reduce_op=nl.maximum,
            reduce_res=partial_max[:, i : i + 1],
        )
    return scores, partial_max


def _update_max(partial_max, running_max, scaling, is_first):
    """Bring the running maximum (with its sign changed) up to date, and get what earlier results are scaled by."""
    new_max = nl.ndarray((GROUP, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=new_max, op=nl.maximum, data=partial_max, axis=1, negate=True)
    if is_first:
        nisa.tensor_copy(dst=running_max, src=new_max)
    else:
        previous_max = nl.ndarray((GROUP, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=previous_max, op=nl.copy, data=running_max, scale=-1.0)
        nisa.tensor_tensor(dst=running_max, data1=running_max, data2=new_max, op=nl.minimum)
        nisa.activation(dst=scaling, op=nl.exp, data=previous_max, bias=running_max)


def _exp(scores, running_max):
    """Exponentials of the scores less the running maximum, and the sum of each row."""
    exponentials = nl.ndarray((GROUP, SECTION), dtype=nl.bfloat16, buffer=nl.sbuf)
    row_sum = nl.ndarray((GROUP, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation_reduce(
        dst=exponentials, op=nl.exp, data=scores, reduce_op=nl.add, reduce_res=row_sum, bias=running_max
    )
    return exponentials, row_sum


def _tp(exponentials):
    """Transpose the exponentials in blocks of 128 by 128, four to a tile."""
    identity = nl.shared_identity_matrix(BLOCK, dtype=nl.bfloat16)
    tiles = []
    for i in range(SECTION // KEY_TILE):
        transposed = nl.ndarray((BLOCK, KEY_TILE), dtype=nl.float32, buffer=nl.psum)
        for j in range(KEY_TILE // BLOCK):
            first = i * KEY_TILE + j * BLOCK
            nisa.nc_matmul(
                dst=transposed[:, j * BLOCK : (j + 1) * BLOCK],
                stationary=exponentials[:, first : first + BLOCK],
                moving=identity,
            )
        tile = nl.ndarray((BLOCK, KEY_TILE), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.tensor_copy(dst=tile, src=transposed)
        tiles.append(tile)
    return tiles


def _pv(exponentials_t, v_tiles):
    """Sums of the values, weighted with the exponentials."""
    d = v_tiles[0].shape[1]
    product = nl.ndarray((GROUP, d), dtype=nl.float32, buffer=nl.psum)
    blocks = KEY_TILE // BLOCK
    for i, v_tile in enumerate(v_tiles):
        first = i % blocks * BLOCK
        nisa.nc_matmul(dst=product, stationary=exponentials_t[i // blocks][:, first : first + BLOCK], moving=v_tile)
    weighted = nl.ndarray((GROUP, d), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=weighted, src=product)
    return weighted


def _write_back(o, weighted, row_sum, running_sum, inverse_sum, scaling, is_first, is_last):
    """Combine the results with those of the section before: the first stores sums, the last divides them."""
    if is_first:
        nisa.tensor_copy(dst=running_sum, src=row_sum)
    else:
        previous_sum = nl.ndarray((GROUP, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=previous_sum, src=running_sum)
        nisa.scalar_tensor_tensor(
            dst=running_sum,
            data=previous_sum,
            op0=nl.multiply,
            operand0=scaling,
            op1=nl.add,
            operand1=row_sum,
        )
    if is_last:
        nisa.reciprocal(dst=inverse_sum, data=running_sum)

    if is_first:
        nisa.dma_copy(dst=o, src=weighted)
    if is_last:
        shape = weighted.shape
        previous_out = nl.ndarray(shape, dtype=o.dtype, buffer=nl.sbuf)
        combined = nl.ndarray(shape, dtype=o.dtype, buffer=nl.sbuf)
        divided = nl.ndarray(shape, dtype=o.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=previous_out, src=o)
        nisa.scalar_tensor_tensor(
            dst=combined, data=previous_out, op0=nl.multiply, operand0=scaling, op1=nl.add, operand1=weighted
        )
        nisa.activation(dst=divided, op=nl.copy, data=combined, scale=inverse_sum)
        nisa.dma_copy(dst=o, src=divided)
