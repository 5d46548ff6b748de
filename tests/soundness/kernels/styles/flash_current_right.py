# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::flash --arg 'q=bf16[64,128*a]' --arg 'k=bf16[64,512*b]' --arg 'v=bf16[512*b,64]' --where 'b <= 8 and a <= 64'
"""Flash as independent authors write it, current API."""

import math

import nki
import nki.isa as nisa
import nki.language as nl


P = 128
PSUM_F = 512


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def flash(q, k, v):
    d, sq = q.shape
    sk = k.shape[1]
    scale = 1 / math.sqrt(d)
    o = nl.ndarray((sq, d), dtype=q.dtype, buffer=nl.shared_hbm)
    kt, qs = load(k), load(q)
    vt = [load(v[j * P : (j + 1) * P, :]) for j in range(sk // P)]
    for i in range(sq // P):
        m = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        l = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        acc = nl.ndarray((P, d), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=m, value=-1e30)
        nisa.memset(dst=l, value=0.0)
        nisa.memset(dst=acc, value=0.0)
        for j in range(sk // PSUM_F):
            s = nl.ndarray((P, PSUM_F), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=s, stationary=qs[:, i * P : (i + 1) * P], moving=kt[:, j * PSUM_F : (j + 1) * PSUM_F])
            mj = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_reduce(dst=mj, op=nl.maximum, data=s, axis=1)
            nisa.tensor_scalar(dst=mj, data=mj, op0=nl.multiply, operand0=scale)
            mn = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=mn, data1=m, data2=mj, op=nl.maximum)
            neg = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_scalar(dst=neg, data=mn, op0=nl.multiply, operand0=-1.0)
            al = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.activation(dst=al, op=nl.exp, data=m, bias=neg, scale=1.0)
            p = nl.ndarray((P, PSUM_F), dtype=nl.bfloat16, buffer=nl.sbuf)
            rs = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.activation_reduce(dst=p, op=nl.exp, data=s, bias=neg, scale=scale, reduce_op=nl.add, reduce_res=rs)
            pv = nl.ndarray((P, d), dtype=nl.float32, buffer=nl.psum)
            for c in range(PSUM_F // P):
                tp = nl.ndarray((P, P), dtype=nl.bfloat16, buffer=nl.psum)
                nisa.nc_transpose(dst=tp, data=p[:, c * P : (c + 1) * P])
                pt = nl.ndarray((P, P), dtype=nl.bfloat16, buffer=nl.sbuf)
                nisa.tensor_copy(dst=pt, src=tp)
                nisa.nc_matmul(dst=pv, stationary=pt, moving=vt[j * (PSUM_F // P) + c], accumulate=c > 0)
            nisa.scalar_tensor_tensor(dst=acc, data=acc, op0=nl.multiply, operand0=al, op1=nl.add, operand1=pv)
            nisa.scalar_tensor_tensor(dst=l, data=l, op0=nl.multiply, operand0=al, op1=nl.add, operand1=rs)
            nisa.tensor_copy(dst=m, src=mn)
        rl = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.reciprocal(dst=rl, data=l)
        ot = nl.ndarray((P, d), dtype=q.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=ot, data=acc, op0=nl.multiply, operand0=rl)
        nisa.dma_copy(dst=o[i * P : (i + 1) * P, :], src=ot)
    return o
