# expect: 1 FAILED
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A slice that ends one beyond."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[:, 1 : x.shape[1] + 1]))
    return out
