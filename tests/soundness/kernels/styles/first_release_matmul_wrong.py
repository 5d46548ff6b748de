# expect: 1 FAILED leg.oob_static:29
# args: ::nki_matmul_block_free_dimension_ --arg lhsT=bf16[1024,512] --arg rhs=bf16[1024,2048] --arg result=bf16[512,2048]
"""Blocked matmul of the first release, result passed in."""
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


def nki_matmul_block_free_dimension_(lhsT, rhs, result):
    K, M = lhsT.shape
    K_, N = rhs.shape
    assert K == K_, "lhsT and rhs must have the same contraction dimension"
    TILE_M = nl.tile_size.gemm_stationary_fmax  # 128
    TILE_K = nl.tile_size.pmax  # 128
    TILE_N = nl.tile_size.gemm_moving_fmax  # 512
    i_lhsT = nl.mgrid[0:TILE_K, 0:TILE_M]
    i_rhs = nl.mgrid[0:TILE_K, 0:TILE_N]
    i_res = nl.mgrid[0:TILE_M, 0:TILE_N]
    TILES_IN_BLOCK_M = 2
    TILES_IN_BLOCK_N = 2
    BLOCK_M = TILE_M * TILES_IN_BLOCK_M
    BLOCK_N = TILE_N * TILES_IN_BLOCK_N
    assert M % (TILE_M * TILES_IN_BLOCK_M) == 0
    assert N % BLOCK_N == 0
    for m in nl.affine_range(M // BLOCK_M if M >= BLOCK_M else 1):
        lhsT_tiles = nl.ndarray((TILES_IN_BLOCK_M, K // TILE_K, nl.par_dim(TILE_K), TILE_M), dtype=lhsT.dtype, buffer=nl.sbuf)
        for bm in nl.affine_range(TILES_IN_BLOCK_M):
            for k in nl.affine_range(K // TILE_K):
                lhsT_tiles[bm, k, i_lhsT.p, i_lhsT.x] = nl.load(lhsT[k * TILE_K + i_lhsT.p, (m * TILES_IN_BLOCK_M + bm + 1) * TILE_M + i_lhsT.x])
        for n in nl.affine_range(N // BLOCK_N):
            rhs_tiles = nl.ndarray((TILES_IN_BLOCK_N, K // TILE_K, nl.par_dim(TILE_K), TILE_N), dtype=rhs.dtype, buffer=nl.sbuf)
            for bn in nl.affine_range(TILES_IN_BLOCK_N):
                for k in nl.affine_range(K // TILE_K):
                    rhs_tiles[bn, k, i_rhs.p, i_rhs.x] = nl.load(rhs[k * TILE_K + i_rhs.p, (n * TILES_IN_BLOCK_N + bn) * TILE_N + i_rhs.x])
            for bm in nl.affine_range(TILES_IN_BLOCK_M):
                for bn in nl.affine_range(TILES_IN_BLOCK_N):
                    res_psum = nl.zeros((TILE_M, TILE_N), nl.float32, buffer=nl.psum)
                    for k in nl.affine_range(K // TILE_K):
                        res_psum[...] += nl.matmul(lhsT_tiles[bm, k, i_lhsT.p, i_lhsT.x], rhs_tiles[bn, k, i_rhs.p, i_rhs.x], transpose_x=True)
                    res_sb = nl.copy(res_psum, dtype=result.dtype)
                    nl.store(result[(m * TILES_IN_BLOCK_M + bm) * TILE_M + i_res.p, (n * TILES_IN_BLOCK_N + bn) * TILE_N + i_res.x], value=res_sb)
