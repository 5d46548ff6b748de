"""Attention of 128 queries over keys in blocks of 128, with a running maximum and sum."""

# legal: Q == 128, D <= 128, S % 128 == 0, D == D_k, S == S_v, D == D_v

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def flash_attention(qT, kT, v):
    D, Q = qT.shape
    D_k, S = kT.shape
    S_v, D_v = v.shape
    assert D <= 128 and Q == 128
    assert D == D_k and S == S_v and D == D_v
    assert S % 128 == 0
    out = nl.ndarray((Q, D), dtype=qT.dtype, buffer=nl.shared_hbm)
    q = nl.ndarray((D, Q), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=q, src=qT)
    high = nl.ndarray((Q, 1), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray((Q, 1), dtype=nl.float32, buffer=nl.sbuf)
    acc = nl.ndarray((Q, D), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=high, value=-30000.0)
    nisa.memset(dst=total, value=0.0)
    # bug: pass
    nisa.memset(dst=acc, value=0.0)
    for s in range(S // 128):
        k = nl.ndarray((D, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.dma_copy(dst=k, src=kT[:, s * 128 : (s + 1) * 128])
        vals = nl.ndarray((128, D), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.dma_copy(dst=vals, src=v[s * 128 : (s + 1) * 128, :])
        scores = nl.ndarray((Q, 128), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=scores, stationary=q, moving=k)
        top = nl.ndarray((Q, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=top, op=nl.maximum, data=scores, axis=1)
        nisa.tensor_tensor(dst=top, data1=top, data2=high, op=nl.maximum)
        scale = nl.ndarray((Q, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=scale, data1=high, data2=top, op=nl.subtract)
        nisa.activation(dst=scale, op=nl.exp, data=scale)
        nisa.tensor_copy(dst=high, src=top)
        shifted = nl.ndarray((Q, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=shifted, data=scores, op0=nl.subtract, operand0=top)
        probs = nl.ndarray((Q, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
        sums = nl.ndarray((Q, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=probs, op=nl.exp, data=shifted, reduce_op=nl.add, reduce_res=sums)
        nisa.tensor_tensor(dst=total, data1=total, data2=scale, op=nl.multiply)
        nisa.tensor_tensor(dst=total, data1=total, data2=sums, op=nl.add)
        turned = nl.ndarray((128, Q), dtype=nl.bfloat16, buffer=nl.psum)
        nisa.nc_transpose(dst=turned, data=probs)
        weights = nl.ndarray((128, Q), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.tensor_copy(dst=weights, src=turned)
        step = nl.ndarray((Q, D), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=step, stationary=weights, moving=vals)
        nisa.tensor_scalar(dst=acc, data=acc, op0=nl.multiply, operand0=scale)  # here
        nisa.tensor_tensor(dst=acc, data1=acc, data2=step, op=nl.add)
    nisa.reciprocal(dst=total, data=total)
    nisa.tensor_scalar(dst=acc, data=acc, op0=nl.multiply, operand0=total)
    nisa.dma_copy(dst=out, src=acc)
    return out
