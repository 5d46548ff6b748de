# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::prefix --arg 'x=f32[P:1..128,512*n]'
"""Prefix as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim
import numpy as np


@nki.jit
def prefix(x):
    p, n = x.shape
    out = nl.ndarray((p, n), dtype=x.dtype, buffer=nl.shared_hbm)
    ones = nl.ones((par_dim(p), 512), dtype=x.dtype)
    carry = nl.zeros((par_dim(p), 1), dtype=x.dtype)
    for i in nl.sequential_range(n // 512):
        t = nl.load(x[:, i * 512:(i + 1) * 512])
        r = nisa.tensor_tensor_scan(ones, t, initial=carry, op0=np.multiply, op1=np.add)
        nl.store(out[:, i * 512:(i + 1) * 512], r)
        carry[:, :] = nl.copy(r[:, 511:512])
    return out
