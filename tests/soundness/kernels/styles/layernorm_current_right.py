# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::layernorm --arg 'x=f32[128*t,D]' --arg 'w=f32[D]' --arg 'b=f32[D]' --where 'D <= 4000'
"""Layernorm as independent authors write it, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


P = 128


def div_up(a, b):
    return -(-a // b)


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def layernorm(x, w, b):
    T, D = x.shape
    FM = nl.tile_size.bn_stats_fmax
    out = nl.ndarray((T, D), dtype=x.dtype, buffer=nl.shared_hbm)
    wb = nl.ndarray((P, D), dtype=w.dtype, buffer=nl.sbuf)
    bb = nl.ndarray((P, D), dtype=b.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=wb, src=w.reshape((1, D)).broadcast(dim=0, size=P))
    nisa.dma_copy(dst=bb, src=b.reshape((1, D)).broadcast(dim=0, size=P))
    n = div_up(D, FM)
    for t in nl.sequential_range(T // P):
        xt = load(x[nl.ds(t * P, P), :])
        st = nl.ndarray((P, n, 6), dtype=nl.float32, buffer=nl.sbuf)
        for j in range(n):
            nisa.bn_stats(dst=st[:, j, :], data=xt[:, j * FM : min(D, (j + 1) * FM)])
        mv = nl.ndarray((P, 2), dtype=nl.float32, buffer=nl.sbuf)
        nisa.bn_aggr(dst=mv, data=st)
        rstd = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=rstd, data=mv[:, 1:2], op0=nl.add, operand0=1e-5, op1=nl.power, operand1=-0.5)
        y = nl.ndarray((P, D), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=y, data=xt, op0=nl.subtract, operand0=mv[:, 0:1], op1=nl.multiply, operand1=rstd)
        nisa.tensor_tensor(dst=y, data1=y, data2=wb, op=nl.multiply)
        nisa.tensor_tensor(dst=y, data1=y, data2=bb, op=nl.add)
        nisa.dma_copy(dst=out[nl.ds(t * P, P), :], src=y)
    return out
