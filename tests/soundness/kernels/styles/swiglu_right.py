# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::swiglu --arg 'x=bf16[128*t,512*h]' --arg 'wg=bf16[512*h,128*i]' --arg 'wu=bf16[512*h,128*i]' --arg 'wd=bf16[128*i,512*h]'
"""Swiglu as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


P = 128


@nki.jit
def swiglu(x, wg, wu, wd):
    T, H = x.shape
    I = wg.shape[1]
    out = nl.ndarray((T, H), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range(T // P):
        xT = nl.ndarray((H // P, par_dim(P), P), dtype=x.dtype, buffer=nl.sbuf)
        for h in nl.affine_range(H // P):
            xT[h] = nl.load_transpose2d(x[t * P:(t + 1) * P, h * P:(h + 1) * P])
        hid = nl.ndarray((I // P, par_dim(P), P), dtype=x.dtype, buffer=nl.sbuf)
        for i in nl.affine_range(I // P):
            g = nl.zeros((P, P), dtype=nl.float32, buffer=nl.psum)
            u = nl.zeros((P, P), dtype=nl.float32, buffer=nl.psum)
            for h in nl.affine_range(H // P):
                wgt = nl.load(wg[h * P:(h + 1) * P, i * P:(i + 1) * P])
                wut = nl.load(wu[h * P:(h + 1) * P, i * P:(i + 1) * P])
                g += nisa.nc_matmul(wgt, xT[h])
                u += nisa.nc_matmul(wut, xT[h])
            hid[i] = nl.multiply(nl.silu(g), u, dtype=x.dtype)
        for j in nl.affine_range(H // 512):
            o = nl.zeros((P, 512), dtype=nl.float32, buffer=nl.psum)
            for i in nl.affine_range(I // P):
                o += nisa.nc_matmul(hid[i], nl.load(wd[i * P:(i + 1) * P, j * 512:(j + 1) * 512]))
            nl.store(out[t * P:(t + 1) * P, j * 512:(j + 1) * 512], nl.copy(o, dtype=x.dtype))
    return out
