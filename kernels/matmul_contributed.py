"""Blocked matmul of nki-samples/contributed, in the legacy API: a whole block of the output is kept in SBUF."""

import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc import nki

TILE_K = 128
TILE_M = 128
TILE_N = 512


@nki.jit
def matmul(A, B, TILES_IN_BLOCK_K=8, TILES_IN_BLOCK_M=4, TILES_IN_BLOCK_N=4):
    """A.T @ B for A (K, M) and B (K, N), each extent a multiple of its block size."""
    return _matmul(A, B, TILES_IN_BLOCK_K, TILES_IN_BLOCK_M, TILES_IN_BLOCK_N, stationary_columns=TILE_M)


@nki.jit
def matmul_buggy(A, B, TILES_IN_BLOCK_K=8, TILES_IN_BLOCK_M=4, TILES_IN_BLOCK_N=4):
    """Control: the stationary slice is one column too wide."""
    return _matmul(A, B, TILES_IN_BLOCK_K, TILES_IN_BLOCK_M, TILES_IN_BLOCK_N, stationary_columns=TILE_M + 1)


@nki.jit
def matmul_swapped(A, B, TILES_IN_BLOCK_K=8, TILES_IN_BLOCK_M=4, TILES_IN_BLOCK_N=4):
    """Control: the operands are exchanged, which only inputs with M != N show."""
    return _matmul(B, A, TILES_IN_BLOCK_K, TILES_IN_BLOCK_M, TILES_IN_BLOCK_N, stationary_columns=TILE_M)


def _matmul(A, B, TILES_IN_BLOCK_K, TILES_IN_BLOCK_M, TILES_IN_BLOCK_N, stationary_columns):
    """The matmul; `stationary_columns` is the width of the slice of A that enters one product.

    As published, the number of rows of B is never looked at.
    """
    K, M = A.shape
    N = B.shape[1]
    BLOCK_K = TILE_K * TILES_IN_BLOCK_K
    BLOCK_M = TILE_M * TILES_IN_BLOCK_M
    BLOCK_N = TILE_N * TILES_IN_BLOCK_N
    NUM_BLOCK_K = K // BLOCK_K
    NUM_BLOCK_M = M // BLOCK_M
    NUM_BLOCK_N = N // BLOCK_N
    assert NUM_BLOCK_K * BLOCK_K == K, "K must be a multiple of the block size"
    assert NUM_BLOCK_M * BLOCK_M == M, "M must be a multiple of the block size"
    assert NUM_BLOCK_N * BLOCK_N == N, "N must be a multiple of the block size"

    Z = nl.ndarray((M, N), dtype=A.dtype, buffer=nl.shared_hbm)
    for n2 in nl.affine_range(NUM_BLOCK_N):
        for m2 in nl.affine_range(NUM_BLOCK_M):
            Z_sbuf = nl.zeros((TILES_IN_BLOCK_M, nl.par_dim(TILE_M), BLOCK_N), dtype=Z.dtype, buffer=nl.sbuf)

            for k2 in nl.affine_range(NUM_BLOCK_K):
                A_sbuf = nl.ndarray((TILES_IN_BLOCK_K, nl.par_dim(TILE_K), BLOCK_M), dtype=A.dtype, buffer=nl.sbuf)
                B_sbuf = nl.ndarray((TILES_IN_BLOCK_K, nl.par_dim(TILE_K), BLOCK_N), dtype=B.dtype, buffer=nl.sbuf)
                for k1 in nl.affine_range(TILES_IN_BLOCK_K):
                    k = k2 * BLOCK_K + k1 * TILE_K
                    A_sbuf[k1] = nl.load(A[k : k + TILE_K, m2 * BLOCK_M : (m2 + 1) * BLOCK_M])
                    B_sbuf[k1] = nl.load(B[k : k + TILE_K, n2 * BLOCK_N : (n2 + 1) * BLOCK_N])

                for m1 in nl.affine_range(TILES_IN_BLOCK_M):
                    m = m1 * TILE_M
                    for n1 in nl.affine_range(TILES_IN_BLOCK_N):
                        n = n1 * TILE_N
                        Z_psum = nl.zeros((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
                        for k1 in nl.affine_range(TILES_IN_BLOCK_K):
                            Z_psum[...] += nisa.nc_matmul(
                                A_sbuf[k1, :, m : m + stationary_columns],
                                B_sbuf[k1, :, n : n + TILE_N],
                            )
                        Z_sbuf[m1, :, n : n + TILE_N] = nl.loop_reduce(
                            Z_psum, op=nl.add, loop_indices=[k2], dtype=Z.dtype
                        )

            for m1 in nl.affine_range(TILES_IN_BLOCK_M):
                m = m2 * BLOCK_M + m1 * TILE_M
                nl.store(Z[m : m + TILE_M, n2 * BLOCK_N : (n2 + 1) * BLOCK_N], value=Z_sbuf[m1])
    return Z
