# expect: 1 FAILED
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A reduction of the partitions is no operation."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    sums = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=sums, op=nl.add, data=tile, axis=0)
    nisa.dma_copy(dst=out, src=sums)
    return out
