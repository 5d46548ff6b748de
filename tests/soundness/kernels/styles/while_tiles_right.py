# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::k --arg x=f32[R,C] --where 'C <= 4000 and R <= 1000000'
"""A while loop over tiles, the last one ragged."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def k(x):
    n, d = x.shape
    out = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    start = 0
    while start < n:
        size = min(128, n - start)
        t = nl.ndarray((size, d), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[nl.ds(start, size), :])
        nisa.dma_copy(dst=out[nl.ds(start, size), :], src=t)
        start += 128
    return out
