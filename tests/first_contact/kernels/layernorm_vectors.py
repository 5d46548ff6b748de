"""Normalised rows, times a vector and with another one added."""

# legal: D == gamma0*gamma1, D == beta0*beta1

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def layernorm(x, gamma, beta, eps=1e-5):
    N, D = x.shape
    P = nl.tile_size.pmax
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    g = nl.ndarray((P, D), dtype=gamma.dtype, buffer=nl.sbuf)
    b = nl.ndarray((P, D), dtype=beta.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=g, src=gamma.ap(pattern=[[0, P], [1, D]]))
    nisa.dma_copy(dst=b, src=beta.ap(pattern=[[0, P], [1, D]]))
    for i in range((N + P - 1) // P):
        # bug: rows = P
        rows = min(P, N - i * P)
        t = nl.ndarray((P, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[i * P : i * P + rows, :])  # here
        FM = nl.tile_size.bn_stats_fmax
        n = (D + FM - 1) // FM
        st = nl.ndarray((P, n, 6), dtype=nl.float32, buffer=nl.sbuf)
        for c in range(n):
            w = min(FM, D - c * FM)
            nisa.bn_stats(dst=st[0:rows, c, :], data=t[0:rows, c * FM : c * FM + w])
        mv = nl.ndarray((P, 2), dtype=nl.float32, buffer=nl.sbuf)
        nisa.bn_aggr(dst=mv[0:rows, :], data=st[0:rows, :, :])
        rstd = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(
            dst=rstd[0:rows, :], data=mv[0:rows, 1:2], op0=nl.add, operand0=eps, op1=nl.power, operand1=-0.5
        )
        y = nl.ndarray((P, D), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(
            dst=y[0:rows, :],
            data=t[0:rows, :],
            op0=nl.subtract,
            operand0=mv[0:rows, 0:1],
            op1=nl.multiply,
            operand1=rstd[0:rows, :],
        )
        nisa.tensor_tensor(dst=y[0:rows, :], data1=y[0:rows, :], data2=g[0:rows, :], op=nl.multiply)
        z = nl.ndarray((P, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=z[0:rows, :], data1=y[0:rows, :], data2=b[0:rows, :], op=nl.add)
        nisa.dma_copy(dst=out[i * P : i * P + rows, :], src=z[0:rows, :])
    return out
