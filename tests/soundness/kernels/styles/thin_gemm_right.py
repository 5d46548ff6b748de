# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::gemm --arg x=bf16[1,S,128*k] --arg w=bf16[128*k,512*n] --where 'k <= 64 and S <= 128'
"""A thin matmul for decoding, as contest entries write it (legacy, load_transpose2d)."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa


@nki.jit
def gemm(x, w):
    B, S, H = x.shape
    H_, N = w.shape
    assert B == 1
    TILE_K = nl.tile_size.pmax
    TILE_N = nl.tile_size.gemm_moving_fmax
    out = nl.ndarray((B, S, N), dtype=x.dtype, buffer=nl.shared_hbm)
    xT = nl.ndarray((nl.par_dim(TILE_K), H // TILE_K, S), dtype=x.dtype, buffer=nl.sbuf)
    for k in nl.affine_range(H // TILE_K):
        xT[:, k, :] = nl.load_transpose2d(x[0, :, nl.ds(k * 128, 128)])
    for n in nl.affine_range(N // TILE_N):
        acc = nl.zeros((nl.par_dim(S), TILE_N), dtype=nl.float32, buffer=nl.psum)
        for k in nl.affine_range(H // TILE_K):
            wt = nl.load(w[nl.ds(k * TILE_K, TILE_K), nl.ds(n * TILE_N, TILE_N)])
            acc[...] += nisa.nc_matmul(xT[:, k, :], wt)
        nl.store(out[0, :, nl.ds(n * TILE_N, TILE_N)], value=acc)
    return out
