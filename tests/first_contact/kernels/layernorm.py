"""Layer norm of at most 128 rows by bn_stats, 512 columns at a time."""

# legal: P <= 128, F % 512 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def layernorm(x):
    P, F = x.shape
    assert P <= 128, "one block of rows"
    assert F % 512 == 0, "whole chunks"
    chunks = F // 512
    out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    data = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=data, src=x)
    stats = nl.ndarray((P, 6 * chunks), dtype=nl.float32, buffer=nl.sbuf)
    # bug: for c in range(chunks - 1):
    for c in range(chunks):
        nisa.bn_stats(dst=stats[:, c * 6 : (c + 1) * 6], data=data[:, c * 512 : (c + 1) * 512])
    moments = nl.ndarray((P, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst=moments, data=stats)  # here
    spread = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst=spread, op=nl.rsqrt, data=moments[:, 1:2])
    nisa.tensor_scalar(dst=data, data=data, op0=nl.subtract, operand0=moments[:, 0:1], op1=nl.multiply, operand1=spread)
    nisa.dma_copy(dst=out, src=data)
    return out
