# expect: 1 SUCCESSFUL|BOUNDED|UNKNOWN
# expect: 4 SUCCESSFUL|BOUNDED|UNKNOWN
# args: ::kernel --arg x='f32[4,64]' --arg n=n:4..999

import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x, n):
    out = nl.ndarray((4, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((4, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    rows = [0, 1, 2, 9]
    for j, k in zip(range(n), rows):
        rows[3] = 3
        nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
