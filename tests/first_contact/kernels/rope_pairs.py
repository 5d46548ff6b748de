"""Pairs of neighbouring columns, turned by angles of which each pair has one."""

# legal: T == cos0, D == 2*cos1, cos0 == sin0, cos1 == sin1

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rope(x, cos, sin):
    """interleaved rope.  x [T, D]; cos, sin [T, D/2]"""
    T, D = x.shape
    half = D // 2
    y = nl.ndarray((T, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((T + 127) // 128):
        n = min(128, T - 128 * i)
        sl = slice(128 * i, 128 * i + n)
        t = nl.ndarray((n, D), dtype=nl.float32, buffer=nl.sbuf)
        c = nl.ndarray((n, half), dtype=nl.float32, buffer=nl.sbuf)
        s = nl.ndarray((n, half), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[sl, :])
        nisa.dma_copy(dst=c, src=cos[sl, :])
        nisa.dma_copy(dst=s, src=sin[sl, :])
        # bug: even, odd = t[:, 0:D:2], t[:, 1 : D + 1 : 2]
        even, odd = t[:, 0:D:2], t[:, 1:D:2]
        r = nl.ndarray((n, D), dtype=x.dtype, buffer=nl.sbuf)
        u = nl.ndarray((n, half), dtype=nl.float32, buffer=nl.sbuf)
        v = nl.ndarray((n, half), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=u, data1=even, data2=c, op=nl.multiply)
        nisa.tensor_tensor(dst=v, data1=odd, data2=s, op=nl.multiply)
        nisa.tensor_tensor(dst=r[:, 0:D:2], data1=u, data2=v, op=nl.subtract)
        nisa.tensor_tensor(dst=u, data1=odd, data2=c, op=nl.multiply)
        nisa.tensor_tensor(dst=v, data1=even, data2=s, op=nl.multiply)
        nisa.tensor_tensor(dst=r[:, 1:D:2], data1=u, data2=v, op=nl.add)
        nisa.dma_copy(dst=y[sl, :], src=r)
    return y
