# expect: 1 FAILED
# args: ::flash --arg 'q=bf16[B,H,64,128*n]' --arg 'k=bf16[B,H,64,512*m]' --arg 'v=bf16[B,H,512*m,64]' --grid 'B,H' --where 'm <= 16'
"""The blocks of v are counted as if they were as wide as those of k, legacy API."""

import math
from typing import Optional

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim
import numpy as np


P = 128


@nki.jit
def flash(q, k, v, scale: Optional[float] = None, causal=False):
    b, h, d, sq = q.shape
    sk = k.shape[-1]
    assert tuple(v.shape) == (b, h, sk, d), f"{v.shape=}"
    scale = scale or 1.0 / math.sqrt(d)
    o = nl.ndarray((b, h, sq, d), dtype=q.dtype, buffer=nl.shared_hbm)
    bi, hi = nl.program_id(axis=0), nl.program_id(axis=1)
    TK = 512
    ip, ik = nl.arange(P)[:, None], nl.arange(TK)[None, :]
    kt = nl.load(k[bi, hi])
    vt = nl.ndarray((sk // P, par_dim(P), d), dtype=v.dtype)
    for j in nl.affine_range(sk // P):
        vt[j] = nl.load(v[bi, hi, nl.ds(j * P, P), :])
    for i in nl.affine_range(sq // P):
        qt = nl.load(q[bi, hi, :, nl.ds(i * P, P)]) * scale
        m = nl.full((par_dim(P), 1), fill_value=-np.inf, dtype=np.float32)
        l = nl.zeros((par_dim(P), 1), dtype=np.float32)
        acc = nl.zeros((par_dim(P), d), dtype=np.float32)
        for j in nl.sequential_range(sk // TK):
            s = nl.ndarray((par_dim(P), TK), dtype=np.float32, buffer=nl.psum)
            s[:, :] = nl.matmul(qt, kt[:, nl.ds(j * TK, TK)], transpose_x=True)
            sm = nisa.affine_select(pred=(i * P + ip >= j * TK + ik), on_true_tile=s, on_false_value=-9984.0, dtype=np.float32) if causal else nl.copy(s)
            mj = nisa.tensor_reduce(np.max, sm, axis=(1,), dtype=np.float32)
            mn = nl.maximum(m, mj)
            alpha = nisa.activation(np.exp, m, bias=nl.negative(mn), scale=1.0)
            p = nl.ndarray((par_dim(P), TK), dtype=nl.bfloat16)
            rs = nl.ndarray((par_dim(P), 1), dtype=np.float32)
            p[:, :] = nisa.activation_reduce(np.exp, sm, bias=nl.negative(mn), scale=1.0, reduce_op=nl.add, reduce_res=rs[:, :], dtype=nl.bfloat16)
            pv = nl.zeros((par_dim(P), d), dtype=np.float32, buffer=nl.psum)
            for c in nl.affine_range(TK // P):
                pt = nl.ndarray((par_dim(P), P), dtype=nl.bfloat16, buffer=nl.sbuf)
                pt[...] = nisa.tensor_copy(nisa.nc_transpose(p[:, nl.ds(c * P, P)]), dtype=nl.bfloat16)
                pv += nl.matmul(pt, vt[j * TK + c], transpose_x=True)
            acc[:, :] = nl.add(nl.multiply(acc, alpha), pv)
            l[:, :] = nl.add(nl.multiply(l, alpha), rs)
            m[:, :] = nl.copy(mn)
        nl.store(o[bi, hi, nl.ds(i * P, P), :], nl.multiply(acc, nl.reciprocal(l)))
    return o
