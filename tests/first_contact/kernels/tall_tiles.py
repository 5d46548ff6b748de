"""Rectified rows in blocks of 64 tiles: the least size that the kernel takes is a large one."""

# legal: R % 8192 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def big(x):
    R, C = x.shape
    assert R % 8192 == 0, "64 tiles of 128 rows at a time"
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for block in range(R // 8192):
        for i in range(64):
            at = block * 8192 + i * 128
            t = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=x[at : at + 128, :])
            nisa.activation(dst=t, op=nl.relu, data=t)
            # bug: nisa.dma_copy(dst=out[at : at + 127, :], src=t[0:127, :])
            nisa.dma_copy(dst=out[at : at + 128, :], src=t)
    return out
