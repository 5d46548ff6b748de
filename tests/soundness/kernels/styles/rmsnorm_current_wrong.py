# expect: 1 FAILED
# args: ::rmsnorm --arg 'x=bf16[128*t,D]' --arg 'g=bf16[1,D]' --where 'D <= 8000'
"""The weights are read one element further, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


P = 128


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def rmsnorm(x, g, eps=1e-6):
    T, D = x.shape
    out = nl.ndarray((T, D), dtype=x.dtype, buffer=nl.shared_hbm)
    gb = nl.ndarray((P, D), dtype=g.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=gb, src=g.ap([[1, P], [1, D]]))
    ep = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=ep, value=eps)
    for t in range(T // P):
        xt = load(x[t * P : (t + 1) * P, :])
        sq = nl.ndarray((P, D), dtype=nl.float32, buffer=nl.sbuf)
        ss = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=sq, op=nl.square, data=xt, reduce_op=nl.add, reduce_res=ss)
        r = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=r, op=nl.rsqrt, data=ss, bias=ep, scale=1.0 / D)
        y = nl.ndarray((P, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.scalar_tensor_tensor(dst=y, data=xt, op0=nl.multiply, operand0=r, op1=nl.multiply, operand1=gb)
        nisa.dma_copy(dst=out[t * P : (t + 1) * P, :], src=y)
    return out
