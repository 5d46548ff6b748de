# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::conv1d_causal --arg 'x=f32[D:1..128,L:1..4096]' --arg 'w=f32[D,K:2..8]'
"""Conv1d as independent authors write it, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def conv1d_causal(x, w):
    D, L = x.shape
    K = w.shape[1]
    out = nl.ndarray((D, L), dtype=x.dtype, buffer=nl.shared_hbm)
    buf = nl.ndarray((D, L + K - 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=buf[:, 0 : K - 1], value=0.0)
    nisa.dma_copy(dst=buf[:, K - 1 :], src=x)
    wt = load(w)
    acc = nl.ndarray((D, L), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=acc, data=buf[:, 0:L], op0=nl.multiply, operand0=wt[:, 0:1])
    for k in range(1, K):
        nisa.scalar_tensor_tensor(dst=acc, data=buf[:, k : k + L], op0=nl.multiply, operand0=wt[:, k : k + 1], op1=nl.add, operand1=acc)
    nisa.activation(dst=acc, op=nl.silu, data=acc)
    nisa.dma_copy(dst=out, src=acc)
    return out
