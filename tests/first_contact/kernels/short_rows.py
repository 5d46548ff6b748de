"""A copy in blocks of 512 columns, or in one of a row that is shorter."""

# legal: P <= 128, N <= 512 or N % 512 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def short_rows(x):
    P, N = x.shape
    assert P <= 128
    step = min(N, 512)
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for j in range(N // step):
        tile = nl.ndarray((P, step), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, j * step : (j + 1) * step])
        # bug: nisa.dma_copy(dst=out[:, j * step : (j + 1) * step - 1], src=tile[:, 1:step])
        nisa.dma_copy(dst=out[:, j * step : (j + 1) * step], src=tile)
    return out
