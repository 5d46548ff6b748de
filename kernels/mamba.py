"""Selective scan of the Mamba state space model, in the three versions of the tutorial.

For delta and u of shape (batch, channels, seq), A (channels, states), B and C (batch, states, seq):

    h[n, t] = exp(delta[t] * A[n]) * h[n, t - 1] + delta[t] * u[t] * B[n, t],   h[n, -1] = 0
    out[t]  = sum over n of C[n, t] * h[n, t]

for each batch entry and channel. Channels go to the partitions, 128 at a time.
"""

import nki
import nki.isa as nisa
import nki.language as nl

TILE_C = 128


@nki.jit
def mamba_v1(delta, u, A, B, C):
    """The scan, loading everything for every state."""
    return _mamba_v1(delta, u, A, B, C, delta_rows=TILE_C)


@nki.jit
def mamba_v1_buggy(delta, u, A, B, C):
    """Control: one row of delta too many is loaded."""
    return _mamba_v1(delta, u, A, B, C, delta_rows=TILE_C + 1)


@nki.jit
def mamba_v2(delta, u, A, B, C):
    """The scan, loading delta and u once per tile of channels."""
    return _mamba_v2(delta, u, A, B, C, u_rows=TILE_C)


@nki.jit
def mamba_v2_buggy(delta, u, A, B, C):
    """Control: one row of u too many is loaded."""
    return _mamba_v2(delta, u, A, B, C, u_rows=TILE_C + 1)


@nki.jit
def mamba_v3(delta, u, A, B, C, seq_tile=512):
    """The scan in tiles of `seq_tile` steps, which hand the state on."""
    return _mamba_v3(delta, u, A, B, C, seq_tile, C_columns=seq_tile)


@nki.jit
def mamba_v3_buggy(delta, u, A, B, C, seq_tile=512):
    """Control: one column of C too many is loaded for each tile of steps."""
    return _mamba_v3(delta, u, A, B, C, seq_tile, C_columns=seq_tile + 1)


def _mamba_v1(delta, u, A, B, C, delta_rows):
    """Version 1; `delta_rows` is how many rows of delta one tile is loaded from."""
    batch, channels, seq = delta.shape
    states = A.shape[1]
    _check_channels(channels, A)

    out = nl.ndarray((batch, channels, seq), dtype=delta.dtype, buffer=nl.shared_hbm)
    for b in range(batch):
        for ct in range(channels // TILE_C):
            c = ct * TILE_C
            total = nl.zeros((TILE_C, seq), dtype=delta.dtype, buffer=nl.sbuf)
            for n in range(states):
                delta_tile = _load(delta[b, c : c + delta_rows, :], (TILE_C, seq))
                A_column = _load(A[c : c + TILE_C, n : n + 1], (TILE_C, 1))
                u_tile = _load(u[b, c : c + TILE_C, :], (TILE_C, seq))
                B_row = _load(B[b, n : n + 1, :], (1, seq))
                C_row = _load(C[b, n : n + 1, :], (1, seq))
                h = _scan(delta_tile, u_tile, A_column, B_row, initial=0.0)
                _add_product(total, h, C_row)
            nisa.dma_copy(dst=out[b, c : c + TILE_C, :], src=total)
    return out


def _mamba_v2(delta, u, A, B, C, u_rows):
    """Version 2; `u_rows` is how many rows of u one tile is loaded from."""
    batch, channels, seq = delta.shape
    states = A.shape[1]
    _check_channels(channels, A)

    out = nl.ndarray((batch, channels, seq), dtype=delta.dtype, buffer=nl.shared_hbm)
    for b in range(batch):
        for ct in range(channels // TILE_C):
            c = ct * TILE_C
            total = nl.zeros((TILE_C, seq), dtype=delta.dtype, buffer=nl.sbuf)
            delta_tile = _load(delta[b, c : c + TILE_C, :], (TILE_C, seq))
            u_tile = _load(u[b, c : c + u_rows, :], (TILE_C, seq))
            for n in range(states):
                A_column = _load(A[c : c + TILE_C, n : n + 1], (TILE_C, 1))
                B_row = _load(B[b, n : n + 1, :], (1, seq))
                C_row = _load(C[b, n : n + 1, :], (1, seq))
                h = _scan(delta_tile, u_tile, A_column, B_row, initial=0.0)
                _add_product(total, h, C_row)
            nisa.dma_copy(dst=out[b, c : c + TILE_C, :], src=total)
    return out


def _mamba_v3(delta, u, A, B, C, seq_tile, C_columns):
    """Version 3; `C_columns` is how many columns of C one tile of steps is loaded from."""
    batch, channels, seq = delta.shape
    states = A.shape[1]
    _check_channels(channels, A)
    assert seq % seq_tile == 0, "the sequence must be a multiple of its tile size"

    out = nl.ndarray((batch, channels, seq), dtype=delta.dtype, buffer=nl.shared_hbm)
    for b in range(batch):
        for ct in range(channels // TILE_C):
            c = ct * TILE_C
            total = nl.zeros((TILE_C, seq), dtype=delta.dtype, buffer=nl.sbuf)
            delta_tile = _load(delta[b, c : c + TILE_C, :], (TILE_C, seq))
            u_tile = _load(u[b, c : c + TILE_C, :], (TILE_C, seq))
            for n in range(states):
                A_column = _load(A[c : c + TILE_C, n : n + 1], (TILE_C, 1))
                state = nl.zeros((TILE_C, 1), dtype=nl.float32, buffer=nl.sbuf)
                # In order: each tile starts from the state the one before it ends in.
                for st in range(seq // seq_tile):
                    s = st * seq_tile
                    B_row = _load(B[b, n : n + 1, s : s + seq_tile], (1, seq_tile))
                    C_row = _load(C[b, n : n + 1, s : s + C_columns], (1, seq_tile))
                    h = _scan(
                        delta_tile[:, s : s + seq_tile],
                        u_tile[:, s : s + seq_tile],
                        A_column,
                        B_row,
                        initial=state,
                    )
                    nisa.tensor_copy(dst=state, src=h[:, seq_tile - 1 : seq_tile])
                    _add_product(total[:, s : s + seq_tile], h, C_row)
            nisa.dma_copy(dst=out[b, c : c + TILE_C, :], src=total)
    return out


def _check_channels(channels, A):
    """The preconditions all versions share."""
    assert channels % TILE_C == 0, f"the number of channels must be a multiple of {TILE_C}"
    assert A.shape[0] == channels, "A must have one row per channel"


def _load(source, shape):
    """Copy `source` from HBM to a new SBUF tile of `shape`."""
    tile = nl.ndarray(shape, dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def _scan(delta, u, A_column, B_row, initial):
    """The states h of one n for all steps of the tile, starting from `initial`."""
    shape = delta.shape
    decay = nl.ndarray(shape, dtype=delta.dtype, buffer=nl.sbuf)
    nisa.activation(dst=decay, op=nl.exp, data=delta, scale=A_column)

    drive = nl.ndarray(shape, dtype=delta.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=drive, data1=delta, data2=u, op=nl.multiply)
    nisa.tensor_tensor(dst=drive, data1=drive, data2=nl.broadcast_to(B_row, shape), op=nl.multiply)

    h = nl.ndarray(shape, dtype=delta.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst=h, data0=decay, data1=drive, initial=initial, op0=nl.multiply, op1=nl.add)
    return h


def _add_product(total, h, C_row):
    """total += C_row * h, in place; C_row holds for every partition."""
    product = nl.ndarray(h.shape, dtype=h.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=product, data1=h, data2=nl.broadcast_to(C_row, h.shape), op=nl.multiply)
    nisa.tensor_tensor(dst=total, data1=total, data2=product, op=nl.add)
