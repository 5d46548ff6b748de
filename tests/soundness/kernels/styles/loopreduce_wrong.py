# expect: 1 FAILED leg.oob_static:15
# args: ::k --arg x=f32[1024,512]
"""nl.loop_reduce over an affine_range."""
import numpy as np
from neuronxcc import nki
import neuronxcc.nki.language as nl


@nki.jit
def k(x):
    n, F = x.shape
    s = nl.ndarray((nl.par_dim(128), F), dtype=nl.float32)
    out = nl.ndarray((128, F), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(n // 128):
        t = nl.load(x[i * 129 + nl.arange(128)[:, None], nl.arange(F)[None, :]])
        s[...] = nl.loop_reduce(t, op=np.add, loop_indices=[i], dtype=nl.float32)
    nl.store(out, s)
    return out
