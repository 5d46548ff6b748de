# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::conv1d --arg 'x=bf16[B,128,L:3..514]' --arg w=bf16[128,128,3]
"""Conv1d as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


@nki.jit
def conv1d(x, w):
    b, cin, l = x.shape
    cout, _, k = w.shape
    lo = l - k + 1
    out = nl.ndarray((b, cout, lo), dtype=x.dtype, buffer=nl.shared_hbm)
    wt = nl.ndarray((k, par_dim(cin), cout), dtype=w.dtype, buffer=nl.sbuf)
    wsb = nl.load(w)
    for i in nl.affine_range(k):
        tp = nisa.nc_transpose(wsb[:, :, i])
        wt[i] = nl.copy(tp, dtype=w.dtype)
    for n in nl.affine_range(b):
        xt = nl.load(x[n])
        acc = nl.zeros((par_dim(cout), lo), dtype=nl.float32, buffer=nl.psum)
        for i in nl.affine_range(k):
            acc += nisa.nc_matmul(wt[i], xt[:, nl.ds(i, lo)])
        nl.store(out[n], value=nl.copy(acc, dtype=x.dtype))
    return out
