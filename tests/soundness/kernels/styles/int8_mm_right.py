# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::int8_mm --arg 'x=i8[128*k,M:1..128]' --arg 'w=i8[128*k,N:1..512]' --arg 'sx=f32[M,1]' --arg 'sw=f32[1,N]'
"""Int8 as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


P = 128


@nki.jit
def int8_mm(x, w, sx, sw):
    K, M = x.shape
    N = w.shape[1]
    out = nl.ndarray((M, N), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    acc = nl.zeros((M, N), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(K // P):
        xt = nl.load(x[k * P:(k + 1) * P], dtype=nl.bfloat16)
        wt = nl.copy(nl.load(w[k * P:(k + 1) * P]), dtype=nl.bfloat16)
        acc += nisa.nc_matmul(xt, wt)
    s = nl.load(sx)
    o = nl.multiply(nl.multiply(acc, s), nl.load(sw).broadcast_to((M, N)))
    nl.store(out, value=nl.copy(o, dtype=nl.bfloat16))
    return out
