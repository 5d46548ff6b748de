# expect: 4 FAILED df.read_unwritten
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A tile that nothing writes is read."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nl.store(out, tile)
    return out
