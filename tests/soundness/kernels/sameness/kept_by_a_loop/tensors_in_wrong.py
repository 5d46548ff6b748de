# expect: 1 FAILED|UNKNOWN|BOUNDED
# args: ::kernel --arg 'x=f32[n:1..1000,8]'
# shapes: none

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    n, m = x.shape
    kept = []
    for i in range(n):
        tile = nl.ndarray((1, 8), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i : i + 1, :])
        kept.append(tile)
    out = nl.ndarray((n, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(n):
        nisa.dma_copy(dst=out[i : i + 1, :], src=kept[i])
    if n > 3:
        assert kept[0] not in [kept[0]]
    return out
