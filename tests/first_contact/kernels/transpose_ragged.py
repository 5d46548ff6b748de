"""A transpose in tiles of at most 128 by 128."""

# legal: all

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def transpose(x):
    R, C = x.shape
    out = nl.ndarray((C, R), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range((R + 127) // 128):
        for c in range((C + 127) // 128):
            h, w = min(128, R - r * 128), min(128, C - c * 128)
            t = nl.ndarray((h, w), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=x[r * 128 : r * 128 + h, c * 128 : c * 128 + w])
            # bug: p = nl.ndarray((h, w), dtype=x.dtype, buffer=nl.psum)
            p = nl.ndarray((w, h), dtype=x.dtype, buffer=nl.psum)
            nisa.nc_transpose(dst=p, data=t)  # here
            s = nl.ndarray((w, h), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=s, src=p)
            nisa.dma_copy(dst=out[c * 128 : c * 128 + w, r * 128 : r * 128 + h], src=s)
    return out
