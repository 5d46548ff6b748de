# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::softmax --arg 'x=f32[R,C]' --where 'C <= 8000'
"""Softmax as independent authors write it, current API."""

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
def softmax(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(div_up(R, P)):
        r0, rn = i * P, min(P, R - i * P)
        t = load(x[r0 : r0 + rn, :])
        mx = nl.ndarray((rn, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=mx, op=nl.maximum, data=t, axis=1, negate=True)
        e = nl.ndarray((rn, C), dtype=nl.float32, buffer=nl.sbuf)
        s = nl.ndarray((rn, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=e, op=nl.exp, data=t, bias=mx, scale=1.0, reduce_op=nl.add, reduce_res=s)
        rs = nl.ndarray((rn, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.reciprocal(dst=rs, data=s)
        o = nl.ndarray((rn, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=o, data=e, op0=nl.multiply, operand0=rs)
        nisa.dma_copy(dst=out[r0 : r0 + rn, :], src=o)
    return out
