# expect: 1 FAILED idx.oob:34
# args: ::attn --arg q=bf16[4,64,512] --arg k=bf16[4,64,512] --arg v=bf16[4,512,64] --grid 4
"""Attention with softmax over whole rows, by legacy nl functions and nl.where."""
import numpy as np
from neuronxcc import nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa
from neuronxcc.nki.language import par_dim


@nki.jit
def attn(q, k, v, softmax_scale=None):
    B, d, S = q.shape
    scale = softmax_scale or d ** -0.5
    out = nl.ndarray((B, S, d), dtype=q.dtype, buffer=nl.shared_hbm)
    b = nl.program_id(axis=0)
    kk = nl.load(k[b])
    ident = nl.shared_identity_matrix(n=128, dtype=np.uint8) if False else None
    for i in nl.affine_range(S // 128):
        qq = nl.load(q[b, :, nl.ds(i * 128, 128)])
        qq = nl.multiply(qq, scale, dtype=q.dtype)
        scores = nl.ndarray((par_dim(128), S), dtype=np.float32, buffer=nl.sbuf)
        for j in nl.affine_range(S // 128):
            ps = nl.matmul(qq, kk[:, nl.ds(j * 128, 128)], transpose_x=True)
            ip = nl.arange(128)[:, None]
            jf = nl.arange(128)[None, :]
            scores[ip, j * 128 + jf] = nisa.affine_select(pred=(i * 128 + ip >= j * 128 + jf), on_true_tile=ps, on_false_value=-9984.0, dtype=np.float32)
        neg = nisa.tensor_reduce(np.max, data=scores, axis=(1,), negate=True, dtype=np.float32)
        sums = nl.ndarray((par_dim(128), 1), dtype=np.float32)
        p = nisa.activation(np.exp, data=scores, bias=neg, scale=1.0, dtype=v.dtype)
        sums[...] = nisa.tensor_reduce(np.add, data=p, axis=(1,), dtype=np.float32)
        o = nl.zeros((par_dim(128), d), dtype=np.float32, buffer=nl.psum)
        for j in nl.affine_range(S // 128):
            vv = nl.load(v[b, nl.ds(j * 128 + 1, 128), :])
            pt = nisa.nc_transpose(p[:, nl.ds(j * 128, 128)])
            pts = nl.copy(pt, dtype=v.dtype)
            o += nl.matmul(pts, vv, transpose_x=True)
        r = nl.divide(o, sums)
        nl.store(out[b, nl.ds(i * 128, 128), :], r)
    return out
