# expect: 1 FAILED
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A reduction of the partitions is no operation."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nisa.tensor_reduce(nl.add, nl.load(x), axis=0))
    return out
