# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::parts --arg 'x=f32[128,512]' --arg n=n:1..4
"""NumPy takes no symbolic number: each of four shapes is run, which is all of the domain."""

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
