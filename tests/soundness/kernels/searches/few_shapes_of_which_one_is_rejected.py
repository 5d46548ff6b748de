# expect: 1 UNKNOWN
# expect: 2 UNKNOWN
# expect: 3 UNKNOWN
# expect: 4 UNKNOWN
# args: ::parts --arg 'x=f32[128,512]' --arg n=n:3..6
"""NumPy takes no symbolic number, and an assert behind it narrows the domain, of which nobody would be told."""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


@nki.jit
def parts(x, n):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    ends = np.linspace(0, 512, n + 1).astype(int)
    assert n != 5
    for first, last in zip(ends[:-1], ends[1:]):
        nisa.dma_copy(tile[:, int(first):int(last)], x[:, int(first):int(last)])
        nisa.dma_copy(out[:, int(first):int(last)], tile[:, int(first):int(last)])
    return out
