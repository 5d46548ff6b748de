# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::mamba --arg 'u=f32[B,128,L:1..512]' --arg 'dt=f32[B,128,L]' --arg 'A=f32[128,S:1..32]' --arg 'B=f32[B,S,L]' --arg 'C=f32[B,S,L]' --arg D=f32[128,1]
"""Mamba as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim
import numpy as np


@nki.jit
def mamba(u, dt, A, B, C, D):
    b, d, L = u.shape
    n = A.shape[1]
    out = nl.ndarray((b, d, L), dtype=u.dtype, buffer=nl.shared_hbm)
    At, Dt = nl.load(A), nl.load(D)
    for i in nl.affine_range(b):
        ut, dtt = nl.load(u[i]), nl.load(dt[i])
        du = nl.multiply(ut, dtt)
        acc = nl.multiply(ut, Dt)
        y = nl.zeros((par_dim(d), L), dtype=nl.float32)
        for s in nl.affine_range(n):
            dA = nisa.activation(op=nl.exp, data=dtt, scale=At[:, s])
            Bt = nl.load(B[i, s:s + 1, :]).broadcast_to((d, L))
            Ct = nl.load(C[i, s:s + 1, :]).broadcast_to((d, L))
            h = nisa.tensor_tensor_scan(dA, nl.multiply(du, Bt), initial=0, op0=np.multiply, op1=np.add)
            y += nl.multiply(h, Ct)
        nl.store(out[i], nl.add(y, acc))
    return out
