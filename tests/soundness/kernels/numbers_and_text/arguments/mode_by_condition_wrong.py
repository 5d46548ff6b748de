# expect: 1 FAILED isa.enum_values:14
# args: ::kernel --arg 'x=bf16[128,64]' --arg n=n:0..3
"""A mode is given by a condition: numbers are taken for members, truth values are not."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, n):
    out, t = (nl.ndarray(x.shape, dtype=x.dtype, buffer=where) for where in (nl.shared_hbm, nl.sbuf))
    mode = n > 1
    nisa.dma_copy(dst=t, src=x, dge_mode=mode)
    nisa.dma_copy(dst=out, src=t)
    return out
