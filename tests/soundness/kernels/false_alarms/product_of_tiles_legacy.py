# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,F:1..128]'
"""A product that is read once it is whole."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((x.shape[1], x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    acc = nl.matmul(tile, tile, transpose_x=True)
    nl.store(out, nl.copy(acc))
    return out
