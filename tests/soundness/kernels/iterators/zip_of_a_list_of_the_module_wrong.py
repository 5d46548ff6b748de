# expect: 4 FAILED df.output_written
# args: ::kernel --arg x='f32[4,64]' --arg n=n:4..999

import nki
import nki.isa as nisa
import nki.language as nl

ROWS = [0, 1, 2, 3]
@nki.jit
def kernel(x, n):
    out = nl.ndarray((4, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((4, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    for j, k in zip(range(n), ROWS):
        ROWS[3] = 2
        nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
