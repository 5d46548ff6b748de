# expect: 1 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""The register that says how often a loop goes round is the kernel's own."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    end = nisa.register_alloc(4)
    for i in nl.dynamic_range(0, end):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
    nisa.register_move(end, 2)
    for i in nl.dynamic_range(0, end):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=out, src=tile)
    return out
