# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::linear --arg x=bf16[M,K] --arg w=bf16[K,N] --arg bias=f32[N] --where 'M <= 1000000 and K <= 4096 and N <= 8192'
"""Ragged linear layer with a tiled range of its own, relative imports."""
import nki
import nki.isa as nisa
import nki.language as nl

from _tiled_range import PMAX, PSUM_FMAX, TiledRange, load


@nki.jit
def linear(x, w, bias):
    M, K = x.shape
    _, N = w.shape
    out = nl.ndarray((M, N), dtype=x.dtype, buffer=nl.shared_hbm)
    bias_tile = load(bias.reshape((1, N)).broadcast(0, PMAX))
    for m in TiledRange(M, PMAX):
        xT = []
        for k in TiledRange(K, PMAX):
            t = nl.ndarray((k.size, m.size), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_transpose(dst=t, src=x[m.start : m.end, k.start : k.end])
            xT.append(t)
        for n in TiledRange(N, PSUM_FMAX):
            acc = nl.ndarray((m.size, n.size), dtype=nl.float32, buffer=nl.psum)
            for k in TiledRange(K, PMAX):
                nisa.nc_matmul(dst=acc, stationary=xT[k.index], moving=load(w[k.start : k.end, n.start : n.end]))
            o = nl.ndarray((m.size, n.size), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=o, data1=acc, data2=bias_tile[: m.size, n.start : n.end], op=nl.add)
            nisa.dma_copy(dst=out[m.start : m.end, n.start : n.end], src=o)
    return out
