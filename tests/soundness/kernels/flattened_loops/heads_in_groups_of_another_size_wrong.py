# expect: 4 FAILED
# args: ::kernel --arg 'x=f32[D:1..64,N,F:1..1000]' --arg 'g=g:1..64' --where 'N % g == 0' --where 'N % (2 * g) == 0'
"""Only every other group is written."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, g):
    rows, heads, columns = x.shape
    out = nl.ndarray((rows * g, heads // g, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for h in range(heads):
        group, member = divmod(h, g)
        tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, h, :])
        nisa.dma_copy(dst=out[member * rows : (member + 1) * rows, group // 2 * 2, :], src=tile)
    return out
