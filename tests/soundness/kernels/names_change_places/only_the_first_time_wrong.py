# expect: 1 FAILED|UNKNOWN|BOUNDED
# args: ::kernel --arg 'n=N:1..4096' --arg 'x=f32[128,64]'
# shapes: N=39..42
"""Names change places in the first iteration only: a late one is not given the wide tile again."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, n):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    wide = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    narrow = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.sbuf)
    now, then = wide, narrow
    for i in range(n):
        width = 64 if i == 40 else 32
        nisa.memset(dst=now[:, 0:width], value=0.0)
        if now is wide:
            now, then = then, now
    nisa.dma_copy(dst=wide, src=x)
    nisa.dma_copy(dst=out, src=wide)
    return out
