"""Attention of one token: all heads at once, over a cache of keys and values."""

# legal: H <= 128, D <= 128, S % 512 == 0, D == D2, D == v_D, S == v_S

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def decode_attention(q, k, v, scale=1.0):
    """q: [H, D]; k: [D, S]; v: [S, D]   single kv head, H query heads <= 128"""
    H, D = q.shape
    D2, S = k.shape
    assert D == D2 and D <= 128 and H <= 128
    assert S % 512 == 0
    out = nl.ndarray((H, D), dtype=q.dtype, buffer=nl.shared_hbm)
    qT = nl.ndarray((D, H), dtype=q.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(dst=qT, src=q)
    scores = nl.ndarray((H, S), dtype=nl.float32, buffer=nl.sbuf)
    for s in range(S // 512):
        kt = nl.ndarray((D, 512), dtype=k.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=kt, src=k[:, s * 512 : (s + 1) * 512])
        ps = nl.ndarray((H, 512), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=ps, stationary=qT, moving=kt)
        nisa.activation(dst=scores[:, s * 512 : (s + 1) * 512], op=nl.copy, data=ps, scale=scale)
    mx = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=mx, op=nl.maximum, data=scores, axis=1, negate=True)
    probs = nl.ndarray((H, S), dtype=nl.bfloat16, buffer=nl.sbuf)
    den = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation_reduce(dst=probs, op=nl.exp, data=scores, bias=mx, reduce_op=nl.add, reduce_res=den)
    acc = nl.ndarray((H, D), dtype=nl.float32, buffer=nl.psum)
    for s in range(S // 128):
        pT_ps = nl.ndarray((128, H), dtype=nl.bfloat16, buffer=nl.psum)
        # bug: nisa.nc_transpose(dst=pT_ps, data=probs[:, s * 512 : (s + 1) * 512])
        nisa.nc_transpose(dst=pT_ps, data=probs[:, s * 128 : (s + 1) * 128])
        pT = nl.ndarray((128, H), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.tensor_copy(dst=pT, src=pT_ps)
        vt = nl.ndarray((128, D), dtype=v.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=vt, src=v[s * 128 : (s + 1) * 128, :])
        nisa.nc_matmul(dst=acc, stationary=pT, moving=vt)
    inv = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.reciprocal(dst=inv, data=den)
    o = nl.ndarray((H, D), dtype=q.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=o, data=acc, op0=nl.multiply, operand0=inv)
    nisa.dma_copy(dst=out, src=o)
    return out
