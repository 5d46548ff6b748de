"""Element-wise addition in the legacy API: each program of a two-dimensional grid adds one tile of 128 by 512."""

import neuronxcc.nki.language as nl
from neuronxcc import nki

TILE_M = 128
TILE_N = 512
CORES = 2


@nki.jit
def add_tile(a, b):
    """Add tile (program_id(0), program_id(1)) of `a` and `b`; nothing is checked here."""
    c = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    row = nl.program_id(0) * TILE_M + nl.arange(TILE_M)[:, None]
    column = nl.program_id(1) * TILE_N + nl.arange(TILE_N)[None, :]
    a_tile = nl.load(a[row, column])
    b_tile = nl.load(b[row, column])
    nl.store(c[row, column], value=a_tile + b_tile)
    return c


def tensor_add_spmd(a, b):
    """c = a + b for a, b of shape (M, N), M a multiple of 128 and N of 512, on a grid of M/128 by N/512 programs."""
    M, N = a.shape
    return add_tile[M // TILE_M, N // TILE_N](a, b)


def tensor_add_spmd_two_cores(a, b):
    """As `tensor_add_spmd`, the rows of the grid dealt out to two cores: M a multiple of 256."""
    M, N = a.shape
    return add_tile[nl.spmd_dim(M // (CORES * TILE_M), nl.nc(CORES)), N // TILE_N](a, b)
