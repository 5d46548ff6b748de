# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::k --arg x=f32[R,C] --where 'C <= 4000 and R <= 1000000'
"""NumPy and math on the host for sizes."""

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

P = 128


@nki.jit
def k(x):
    n_tiles = int(np.ceil(x.shape[0] / P))
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n_tiles):
        rows = min(x.shape[0] - i * P, P)
        t = nl.ndarray((P, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[:rows], src=x[i * P : i * P + rows])
        nisa.activation(dst=t[:rows], op=nl.square, data=t[:rows], scale=1.0 / np.sqrt(2.0))
        nisa.dma_copy(dst=out[i * P : i * P + rows], src=t[:rows])
    return out
