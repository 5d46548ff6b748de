"""Attention forward pass of the tutorial, versions 1 to 3: softmax(q.T @ k) @ v.T, neither scaled nor masked.

q, k and v are (d, seq) with the head dimension d = 128 on the partitions; the result is (seq, d).
"""

import nki
import nki.isa as nisa
import nki.language as nl

HEAD_DIM = 128
SHORT_SEQ = 128
TILE = 128
WIDE_TILE = 512


# ------------------------------------------------------------------------------------- version 1, in nki.language


@nki.jit
def attn_fwd_v1(q, k, v):
    """One tile of 128 queries and keys."""
    _check_single_tile(q, k, v)
    return _attn_fwd_v1(nl.load(q), nl.load(k), nl.load(v), extra_columns=0)


@nki.jit
def attn_fwd_v1_buggy(q, k, v):
    """Control: the SBUF copy of the scores has one column too many."""
    _check_single_tile(q, k, v)
    return _attn_fwd_v1(nl.load(q), nl.load(k), nl.load(v), extra_columns=1)


@nki.jit
def attn_fwd_v1_asym(q, k, v):
    """As version 1, for up to 128 queries and up to 128 keys."""
    _check_head_dim(q, k, v)
    return _attn_fwd_v1(nl.load(q), nl.load(k), nl.load(v), extra_columns=0)


@nki.jit
def attn_fwd_v1_asym_buggy(q, k, v):
    """Control: q @ k.T in place of q.T @ k, which only differing numbers of queries and keys show."""
    _check_head_dim(q, k, v)
    return _attn_fwd_v1(_transposed(nl.load(q)), _transposed(nl.load(k)), nl.load(v), extra_columns=0)


def _attn_fwd_v1(q, k, v, extra_columns):
    """Version 1 on SBUF tiles; the SBUF copy of the scores has `extra_columns`."""
    scores_psum = nl.matmul(q, k, transpose_x=True)
    queries, keys = scores_psum.shape
    scores = nl.ndarray((queries, keys + extra_columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=scores, src=scores_psum)

    row_max = nl.max(scores, axis=1, keepdims=True)
    shifted = nl.ndarray((queries, keys), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=shifted, data=scores, op0=nl.subtract, operand0=row_max)
    exponentials = nl.exp(shifted)
    inverse_sum = nl.reciprocal(nl.sum(exponentials, axis=1, keepdims=True))
    weights = nl.ndarray((queries, keys), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=weights, data=exponentials, op0=nl.multiply, operand0=inverse_sum)

    product = nl.matmul(_transposed(weights), _transposed(v), transpose_x=True)
    result = nl.ndarray(product.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=product)
    out = nl.ndarray(product.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=result)
    return out


def _transposed(tile):
    """The transpose of an SBUF tile, as another one of the same dtype."""
    transposed_psum = nl.transpose(tile)
    transposed = nl.ndarray(transposed_psum.shape, dtype=tile.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=transposed, src=transposed_psum)
    return transposed


# ------------------------------------------------------------------------------------------ version 2, in nki.isa


@nki.jit
def attn_fwd_v2(q, k, v):
    """One tile of 128 queries and keys."""
    _check_single_tile(q, k, v)
    return _attn_fwd_v2(q, k, v, extra_columns=0)


@nki.jit
def attn_fwd_v2_buggy(q, k, v):
    """Control: the PSUM tile for the transpose of v has one column too many."""
    _check_single_tile(q, k, v)
    return _attn_fwd_v2(q, k, v, extra_columns=1)


@nki.jit
def attn_fwd_v2_asym(q, k, v):
    """As version 2, for up to 128 queries and up to 128 keys."""
    _check_head_dim(q, k, v)
    return _attn_fwd_v2(q, k, v, extra_columns=0)


@nki.jit
def attn_fwd_v2_asym_swapped(q, k, v):
    """Control: q and k are exchanged, which only differing numbers of queries and keys show."""
    _check_head_dim(q, k, v)
    return _attn_fwd_v2(k, q, v, extra_columns=0)


def _attn_fwd_v2(q, k, v, extra_columns):
    """Version 2; the PSUM tile for the transpose of v has `extra_columns`."""
    d, queries = q.shape
    keys = k.shape[1]
    q_tile = _load(q)
    k_tile = _load(k)
    v_tile = _load(v)

    scores_psum = nl.ndarray((queries, keys), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=scores_psum, stationary=q_tile, moving=k_tile)
    weights = softmax_isa(_evacuate(scores_psum, nl.float32))

    weights_t_psum = nl.ndarray((keys, queries), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=weights_t_psum, data=weights)
    weights_t = _evacuate(weights_t_psum, nl.float32)

    v_t_psum = nl.ndarray((keys, d + extra_columns), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=v_t_psum, data=v_tile)
    v_t = _evacuate(v_t_psum, v.dtype)

    product = nl.ndarray((queries, d), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=product, stationary=weights_t, moving=v_t)
    out = nl.ndarray((queries, d), dtype=q.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=_evacuate(product, nl.float32))
    return out


def softmax_isa(x, axis=1):
    """Softmax of an SBUF tile (P, F) along its free axis, in float32."""
    rows = x.shape[0]
    row_max = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=row_max, op=nl.maximum, data=x, axis=axis)
    shifted = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=shifted, data=x, op0=nl.subtract, operand0=row_max)
    exponentials = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst=exponentials, op=nl.exp, data=shifted)
    row_sum = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=row_sum, op=nl.add, data=exponentials, axis=axis)
    inverse_sum = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.reciprocal(dst=inverse_sum, data=row_sum)
    result = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=result, data=exponentials, op0=nl.multiply, operand0=inverse_sum)
    return result


# ---------------------------------------------------------- version 3: long sequences, intermediate results in HBM


@nki.jit
def attn_fwd_v3(q, k, v):
    """Any number of queries and keys that is a multiple of 512."""
    assert q.shape[1] % WIDE_TILE == 0, f"the sequence must be a multiple of {WIDE_TILE}"
    return _attn_fwd_v3(q, k, v, first_product=_multiply)


@nki.jit
def attn_fwd_v3_unguarded(q, k, v):
    """As published: that the sequence is a multiple of 512 is not checked."""
    return _attn_fwd_v3(q, k, v, first_product=_multiply)


@nki.jit
def attn_fwd_v3_buggy(q, k, v):
    """Control: the operands of the first product are exchanged."""
    return _attn_fwd_v3(q, k, v, first_product=_multiply_exchanged)


def _multiply(dst, x, y):
    """dst = x.T @ y."""
    nisa.nc_matmul(dst=dst, stationary=x, moving=y)


def _multiply_exchanged(dst, x, y):
    """dst = y.T @ x."""
    nisa.nc_matmul(dst=dst, stationary=y, moving=x)


def _attn_fwd_v3(q, k, v, first_product):
    """Version 3; `first_product` multiplies a tile of queries with one of keys."""
    d, seq = q.shape
    assert q.shape == k.shape and k.shape == v.shape, "q, k and v must have the same shape"
    assert d == HEAD_DIM, f"the head dimension must be {HEAD_DIM}"
    assert seq >= WIDE_TILE, f"the sequence must have at least {WIDE_TILE} elements"
    tiles = seq // TILE
    wide_tiles = seq // WIDE_TILE
    q_tile = _load(q)
    k_tile = _load(k)
    v_tile = _load(v)

    # Scores.
    scores = nl.ndarray((tiles, wide_tiles, TILE, WIDE_TILE), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(tiles):
        for j in range(wide_tiles):
            scores_psum = nl.ndarray((TILE, WIDE_TILE), dtype=nl.float32, buffer=nl.psum)
            first_product(
                scores_psum, q_tile[:, i * TILE : (i + 1) * TILE], k_tile[:, j * WIDE_TILE : (j + 1) * WIDE_TILE]
            )
            nisa.dma_copy(dst=scores[i, j], src=_evacuate(scores_psum, nl.float32))

    # Maximum of each row.
    row_max = nl.ndarray((TILE, tiles), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(tiles):
        tile_max = nl.ndarray((TILE, wide_tiles), dtype=nl.float32, buffer=nl.sbuf)
        for j in range(wide_tiles):
            nisa.tensor_reduce(dst=tile_max[:, j : j + 1], op=nl.maximum, data=_load(scores[i, j]), axis=1)
        nisa.tensor_reduce(dst=row_max[:, i : i + 1], op=nl.maximum, data=tile_max, axis=1)

    # Scores less the maximum of their row.
    shifted = nl.ndarray((tiles, TILE, seq), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(tiles):
        row = nl.ndarray((TILE, seq), dtype=nl.float32, buffer=nl.sbuf)
        for j in range(wide_tiles):
            nisa.tensor_scalar(
                dst=row[:, j * WIDE_TILE : (j + 1) * WIDE_TILE],
                data=_load(scores[i, j]),
                op0=nl.subtract,
                operand0=row_max[:, i : i + 1],
            )
        nisa.dma_copy(dst=shifted[i], src=row)

    # Their exponentials.
    exponentials = nl.ndarray((tiles, TILE, seq), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(tiles):
        row = nl.ndarray((TILE, seq), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=row, op=nl.exp, data=_load(shifted[i]))
        nisa.dma_copy(dst=exponentials[i], src=row)

    # The inverse of the sum of each row.
    row_sum = nl.ndarray((TILE, tiles), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(tiles):
        nisa.tensor_reduce(dst=row_sum[:, i : i + 1], op=nl.add, data=_load(exponentials[i]), axis=1)
    inverse_sum = nl.ndarray((TILE, tiles), dtype=nl.float32, buffer=nl.sbuf)
    nisa.reciprocal(dst=inverse_sum, data=row_sum)

    # Softmax of the scores.
    weights = nl.ndarray((tiles, TILE, seq), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(tiles):
        row = nl.ndarray((TILE, seq), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=row, data=_load(exponentials[i]), op0=nl.multiply, operand0=inverse_sum[:, i : i + 1])
        nisa.dma_copy(dst=weights[i], src=row)

    # The transpose of v, tile by tile.
    v_t = nl.ndarray((tiles, TILE, HEAD_DIM), dtype=nl.float32, buffer=nl.shared_hbm)
    for t in range(tiles):
        v_t_psum = nl.ndarray((TILE, HEAD_DIM), dtype=v.dtype, buffer=nl.psum)
        nisa.nc_transpose(dst=v_t_psum, data=v_tile[:, t * TILE : (t + 1) * TILE])
        nisa.dma_copy(dst=v_t[t], src=_evacuate(v_t_psum, nl.float32))

    # The transpose of the softmax, tile by tile.
    weights_t = nl.ndarray((tiles, tiles, TILE, TILE), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(tiles):
        for t in range(tiles):
            weights_t_psum = nl.ndarray((TILE, TILE), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_transpose(dst=weights_t_psum, data=_load(weights[i, :, t * TILE : (t + 1) * TILE]))
            nisa.dma_copy(dst=weights_t[t, i], src=_evacuate(weights_t_psum, nl.float32))

    # The weighted sums of the values.
    out = nl.ndarray((seq, d), dtype=q.dtype, buffer=nl.shared_hbm)
    for i in range(tiles):
        product = nl.ndarray((TILE, HEAD_DIM), dtype=nl.float32, buffer=nl.psum)
        for t in range(tiles):
            nisa.nc_matmul(dst=product, stationary=_load(weights_t[t, i]), moving=_load(v_t[t]))
        nisa.dma_copy(dst=out[i * TILE : (i + 1) * TILE, :], src=_evacuate(product, nl.float32))
    return out


# ------------------------------------------------------------------------------------------------------- shared parts


def _check_head_dim(q, k, v):
    """The preconditions of the forms with any numbers of queries and keys."""
    assert q.shape[0] == HEAD_DIM, f"the head dimension must be {HEAD_DIM}"
    assert k.shape[0] == HEAD_DIM, "q and k must have the same head dimension"
    assert k.shape == v.shape, "k and v must have the same shape"


def _check_single_tile(q, k, v):
    """The preconditions of versions 1 and 2."""
    assert q.shape == k.shape and k.shape == v.shape, "q, k and v must have the same shape"
    assert q.shape == (HEAD_DIM, SHORT_SEQ), f"q must be ({HEAD_DIM}, {SHORT_SEQ})"


def _load(source):
    """Copy a matrix from HBM to a new SBUF tile."""
    tile = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def _evacuate(psum_tile, dtype):
    """Copy a PSUM tile to a new SBUF tile of `dtype`."""
    tile = nl.ndarray(psum_tile.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=psum_tile)
    return tile
