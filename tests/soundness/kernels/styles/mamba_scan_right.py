# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::scan --arg delta=f32[B,128*c,512*s] --arg u=f32[B,128*c,512*s] --arg A=f32[128*c,N] --arg Bm=f32[B,N,512*s] --arg Cm=f32[B,N,512*s] --where 's <= 4 and c <= 8 and N <= 64'
"""Selective scan, tiled over time and channels, legacy API, with named tiles."""
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa


@nki.jit
def scan(delta, u, A, Bm, Cm):
    B, C, S = delta.shape
    N = A.shape[1]
    y = nl.ndarray((B, C, S), dtype=delta.dtype, buffer=nl.shared_hbm)
    P = nl.tile_size.pmax
    for b in nl.affine_range(B):
        for c in nl.affine_range(C // P):
            acc = nl.zeros((nl.par_dim(P), S), dtype=delta.dtype)
            d_i = nl.load(delta[b, c * P:c * P + P, 0:S])
            u_i = nl.load(u[b, c * P:c * P + P, 0:S])
            du = nisa.tensor_tensor(d_i, u_i, op=nl.multiply)
            for n in nl.affine_range(N):
                A_i = nl.load(A[c * P:c * P + P, n])
                dA = nisa.activation(op=nl.exp, data=d_i, scale=A_i)
                B_i = nl.load(Bm[b, n, nl.arange(S)[None, :]] if False else Bm[b, n:n + 1, 0:S])
                duB = nisa.tensor_tensor(du, B_i.broadcast_to((P, S)), op=nl.multiply)
                h = nisa.tensor_tensor_scan(dA, duB, initial=0, op0=np.multiply, op1=np.add)
                C_i = nl.load(Cm[b, n:n + 1, 0:S])
                hC = nisa.tensor_tensor(h, C_i.broadcast_to((P, S)), op=nl.multiply)
                acc[...] += hC
            nl.store(y[b, c * P:c * P + P, 0:S], acc)
    return y
