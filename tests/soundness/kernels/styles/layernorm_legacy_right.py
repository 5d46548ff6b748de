# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::layernorm --arg 'x=f32[128*n,512*k]' --arg 'w=f32[512*k]' --arg 'b=f32[512*k]' --where 'k <= 4'
"""Layernorm as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def layernorm(x, w, b):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    ix, iy = nl.mgrid[0:128, 0:x.shape[1]]
    iz, iw = nl.mgrid[0:1, 0:x.shape[1]]
    wt = nl.load(w.reshape((1, x.shape[1]))[iz, iw])
    bt = nl.load(b.reshape((1, x.shape[1]))[iz, iw])
    wb, bb = wt.broadcast_to((128, x.shape[1])), bt.broadcast_to((128, x.shape[1]))
    FMAX = nl.tile_size.bn_stats_fmax
    k = x.shape[1] // FMAX
    for i in nl.affine_range(x.shape[0] // 128):
        t = nl.load(x[i * 128 + ix, iy], mask=(i * 128 + ix < x.shape[0]))
        st = nl.ndarray((128, 6 * k), dtype=nl.float32)
        for j in nl.affine_range(k):
            st[:, j * 6:(j + 1) * 6] = nisa.bn_stats(t[:, j * FMAX:(j + 1) * FMAX])
        ag = nisa.bn_aggr(st)
        rs = nl.rsqrt(ag[:, 1] + 1e-5)
        nt_ = nisa.tensor_scalar(t, np.subtract, ag[:, 0], op1=np.multiply, operand1=rs)
        nl.store(out[i * 128 + ix, iy], nl.add(nl.multiply(nt_, wb), bb))
    return out
