# expect: 3 FAILED
# args: ::alloc_add --arg a=f32[512,512] --arg b=f32[512,512]
"""The second buffer begins inside the first, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def alloc_add(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    n = 4
    at = nl.ndarray((n, nl.par_dim(128), 512), dtype=a.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
    bt = nl.ndarray((n, nl.par_dim(128), 512), dtype=a.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=1024, num_free_tiles=(2,)))
    ct = nl.ndarray((n, nl.par_dim(128), 512), dtype=a.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=8192, num_free_tiles=(1,)))
    for i in nl.affine_range(n):
        at[i] = nl.load(a[i * 128:(i + 1) * 128])
        bt[i] = nl.load(b[i * 128:(i + 1) * 128])
        ct[i] = nisa.tensor_tensor(at[i], bt[i], np.add)
        nl.store(out[i * 128:(i + 1) * 128], ct[i])
    return out
