# expect: 1 UNKNOWN :14
# expect: 2 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::zeros --arg 'x=f32[P:1..128,F:1..2048]'
"""No page says what a number assigned to a tensor in HBM does: the claim is open, and no other."""

import nki
import nki.language as nl


@nki.jit
def zeros(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    out[...] = 0.0
    return out
