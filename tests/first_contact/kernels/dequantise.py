"""Weights of eight bits, each row with a scale of its own."""

# legal: K == scales_K, scales1 == 1

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def dequantise(q, scales):
    """q: [K, N] int8, scales: [K, 1] float32"""
    K, N = q.shape
    w = nl.ndarray((K, N), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    done = 0
    while done < K:
        rows = min(128, K - done)
        raw = nl.ndarray((rows, N), dtype=q.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=raw, src=q[done : done + rows, :])
        scale = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=scale, src=scales[done : done + rows, :])
        full = nl.ndarray((rows, N), dtype=nl.bfloat16, buffer=nl.sbuf)
        # bug: nisa.tensor_scalar(dst=full, data=raw, op0=nl.multiply, operand0=scale[0:64, :])
        nisa.tensor_scalar(dst=full, data=raw, op0=nl.multiply, operand0=scale)
        nisa.dma_copy(dst=w[done : done + rows, :], src=full)
        done += rows
    return w
