# expect: 4 FAILED
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""The second half of the result is not written."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    half = (x.shape[0] + 1) // 2
    nl.store(out[0:half, :], nl.load(x[0:half, :]))
    return out
