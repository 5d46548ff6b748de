# expect: 4 FAILED df.output_written
# args: ::kernel --arg x='f32[4,64]' --arg n=n:1..9

import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x, n):
    out = nl.ndarray((4, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((4, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    pass
    rows = [(n + 1) % 4, (n + 2) % 4, (n + 3) % 4]
    it = iter(rows)
    for k in it:
        nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    rows.append(n % 4)
    for k in it:
        nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
