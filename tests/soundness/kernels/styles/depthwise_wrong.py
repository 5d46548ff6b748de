# expect: 1 FAILED
# args: ::depthwise --arg 'x=f32[N,C:1..128,H:3..40,W:3..40]' --arg 'w=f32[C,3,3]'
"""Rows of the window are counted by its columns' offset twice, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim
import numpy as np


@nki.jit
def depthwise(x, w):
    n, c, h, wd = x.shape
    kh, kw = w.shape[1:]
    oh, ow = h - kh + 1, wd - kw + 1
    out = nl.ndarray((n, c, oh, ow), dtype=x.dtype, buffer=nl.shared_hbm)
    wt = nl.load(w.reshape((c, kh * kw)))
    for b in nl.affine_range(n):
        xt = nl.load(x[b])
        acc = nl.zeros((par_dim(c), oh, ow), dtype=nl.float32)
        i0, i1, i2 = nl.mgrid[0:c, 0:oh, 0:ow]
        for ky in nl.static_range(kh):
            for kx in nl.static_range(kw):
                prod = nisa.tensor_scalar(xt[i0, i1 + ky + kx, i2 + kx], np.multiply, wt[:, ky * kw + kx])
                acc[...] = nl.add(acc, prod)
        nl.store(out[b], acc)
    return out
