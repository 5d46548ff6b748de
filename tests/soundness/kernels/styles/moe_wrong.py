# expect: 1 FAILED
# args: ::moe --arg 'x=bf16[T:1..128,256]' --arg 'w=bf16[E,256,512]' --arg 'e=i32[1,2] in 0..E-1'
"""The second half of an expert's rows is that of the next one, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


P = 128


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def moe(x, w, e):
    T, H = x.shape
    E, _, F = w.shape
    out = nl.ndarray((2, T, F), dtype=nl.float32, buffer=nl.shared_hbm)
    et = load(e)
    xT = []
    for h in range(H // P):
        t = nl.ndarray((P, T), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_transpose(dst=t, src=x[:, h * P : (h + 1) * P])
        xT.append(t)
    for k in range(2):
        r = nisa.register_alloc()
        nisa.register_load(r, et[0:1, k : k + 1])
        ps = nl.ndarray((T, F), dtype=nl.float32, buffer=nl.psum)
        for h in range(H // P):
            wt = nl.ndarray((P, F), dtype=w.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=wt, src=w.ap(pattern=[[F, P], [1, F]], offset=(h + 1) * P * F, scalar_offset=r, indirect_dim=0))
            nisa.nc_matmul(dst=ps, stationary=xT[h], moving=wt)
        sb = nl.ndarray((T, F), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=sb, src=ps)
        nisa.dma_copy(dst=out[k], src=sb)
    return out
