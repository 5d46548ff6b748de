"""Each head of 64 channels times a matrix of its own."""

# legal: D == w_D, w1 == 64, D % 64 == 0, T % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl

HEAD = 64


@nki.jit
def per_head_projection(xT, w):
    """xT: [D, T], w: [D, 64] -> [T, D]"""
    D, T = xT.shape
    assert w.shape == (D, HEAD)
    assert D % HEAD == 0 and T % 128 == 0
    out = nl.ndarray((T, D), dtype=xT.dtype, buffer=nl.shared_hbm)
    for head in nl.affine_range(D // HEAD):
        channels = nl.ds(head * HEAD, HEAD)
        weight = nl.ndarray((HEAD, HEAD), dtype=w.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=weight, src=w[channels, :])
        for t in nl.affine_range(T // 128):
            rows = nl.ds(t * 128, 128)
            tile = nl.ndarray((HEAD, 128), dtype=xT.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=xT[channels, rows])
            acc = nl.ndarray((128, HEAD), dtype=nl.float32, buffer=nl.psum)
            # bug: nisa.nc_matmul(dst=acc, stationary=weight, moving=tile)
            nisa.nc_matmul(dst=acc, stationary=tile, moving=weight)
            done = nl.ndarray((128, HEAD), dtype=xT.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=done, src=acc)
            nisa.dma_copy(dst=out[rows, channels], src=done)
    return out
