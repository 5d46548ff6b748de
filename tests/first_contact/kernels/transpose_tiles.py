"""A transpose in tiles of 128 by 128, through PSUM."""

# legal: R % 128 == 0, C % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def transpose_tiles(x):
    R = x.shape[0]
    C = x.shape[1]
    out = nl.ndarray((C, R), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(R // 128):
        for c in range(C // 128):
            tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[r * 128 : (r + 1) * 128, c * 128 : (c + 1) * 128])
            turned = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
            nisa.nc_transpose(dst=turned, data=tile)
            result = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=turned)
            # bug: nisa.dma_copy(dst=out[r * 128 : (r + 1) * 128, c * 128 : (c + 1) * 128], src=result)
            nisa.dma_copy(dst=out[c * 128 : (c + 1) * 128, r * 128 : (r + 1) * 128], src=result)
    return out
