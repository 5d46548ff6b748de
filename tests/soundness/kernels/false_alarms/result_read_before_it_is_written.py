# expect: 4 FAILED df.read_unwritten
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A result that the kernel allocates holds nothing yet."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    more = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=more, src=out)
    nisa.tensor_tensor(dst=tile, data1=tile, data2=more, op=nl.add)
    nisa.dma_copy(dst=out, src=tile)
    return out
