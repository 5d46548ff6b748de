"""Depthwise convolution along the free dimension with a window of four; the result is shorter than the input."""

# legal: C <= 128, L >= 4, C == C_, W == 4

import nki
import nki.isa as nisa
import nki.language as nl

TAPS = 4


@nki.jit
def conv1d(x, w):
    C, L = x.shape
    C_, W = w.shape
    assert C <= 128 and C == C_
    assert W == TAPS
    assert L >= TAPS
    out = nl.ndarray((C, L - TAPS + 1), dtype=x.dtype, buffer=nl.shared_hbm)
    data = nl.ndarray((C, L), dtype=nl.float32, buffer=nl.sbuf)
    taps = nl.ndarray((C, TAPS), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=data, src=x)
    nisa.dma_copy(dst=taps, src=w)
    size = L - TAPS + 1
    total = nl.ndarray((C, size), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    part = nl.ndarray((C, size), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(TAPS):
        # bug: nisa.tensor_scalar(dst=part, data=data[:, k + 1 : k + 1 + size], op0=nl.multiply, operand0=taps[:, k : k + 1])
        nisa.tensor_scalar(dst=part, data=data[:, k : k + size], op0=nl.multiply, operand0=taps[:, k : k + 1])
        nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add)
    nisa.dma_copy(dst=out, src=total)
    return out
