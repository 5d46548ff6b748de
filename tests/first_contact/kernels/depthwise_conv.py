"""A causal convolution of each channel with taps of its own."""

# legal: K >= 2, C == w0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def depthwise_conv1d(x, w):
    """x: [C, L], w: [C, K]; causal, zero padded on the left"""
    C, L = x.shape
    _, K = w.shape
    y = nl.ndarray((C, L), dtype=x.dtype, buffer=nl.shared_hbm)
    for c in range(0, C, 128):
        p = min(128, C - c)
        # bug: xt = nl.ndarray((p, L + K - 2), dtype=nl.float32, buffer=nl.sbuf)
        xt = nl.ndarray((p, L + K - 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=xt[:, 0 : K - 1], value=0.0)
        nisa.dma_copy(dst=xt[:, K - 1 : K - 1 + L], src=x[c : c + p, :])  # here
        wt = nl.ndarray((p, K), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=wt, src=w[c : c + p, :])
        acc = nl.ndarray((p, L), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=acc, data=xt[:, 0:L], op0=nl.multiply, operand0=wt[:, 0:1])
        for k in range(1, K):
            nisa.scalar_tensor_tensor(
                dst=acc, data=xt[:, k : k + L], op0=nl.multiply, operand0=wt[:, k : k + 1], op1=nl.add, operand1=acc
            )
        nisa.dma_copy(dst=y[c : c + p, :], src=acc)
    return y
