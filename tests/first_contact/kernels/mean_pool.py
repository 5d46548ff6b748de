"""The mean over positions, as products with ones."""

# legal: lengths1 == 1, B == lengths_B

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def mean_pool(x, lengths):
    """x: [B, S, D] f32, lengths: [B, 1] f32 (reciprocal lengths) -> [B, D]: masked mean via matmul with ones"""
    B, S, D = x.shape
    out = nl.ndarray((B, D), dtype=x.dtype, buffer=nl.shared_hbm)
    ones = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=ones, value=1.0)
    for b in range(B):
        for d in range(0, D, 512):
            w = min(512, D - d)
            acc = nl.ndarray((1, w), dtype=nl.float32, buffer=nl.psum)
            for s in range(0, S, 128):
                h = min(128, S - s)
                t = nl.ndarray((h, w), dtype=x.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=t, src=x[b, s : s + h, d : d + w])
                # bug: nisa.nc_matmul(dst=acc, stationary=ones, moving=t)
                nisa.nc_matmul(dst=acc, stationary=ones[0:h, :], moving=t)
            inv = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=inv, src=lengths[b : b + 1, :])
            o = nl.ndarray((1, w), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_scalar(dst=o, data=acc, op0=nl.multiply, operand0=inv)
            nisa.dma_copy(dst=out[b : b + 1, d : d + w], src=o)
    return out
