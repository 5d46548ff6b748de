# expect: 1 FAILED idx.oob:15
# args: ::kernel --arg 'a=bf16[P:1..128,64]'
"""The slow way, which reads a column that is not there, is taken for P in 101..128."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(a):
    P, F = a.shape
    shift = 0 if all(map((100).__ge__, (P,))) else 1
    out, t = (nl.ndarray((P, F), dtype=a.dtype, buffer=where) for where in (nl.shared_hbm, nl.sbuf))
    nisa.dma_copy(dst=t, src=a[:, shift : F + shift])
    nisa.dma_copy(dst=out, src=t)
    return out
