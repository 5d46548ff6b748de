# expect: 1 FAILED :17
# expect: 2 SUCCESSFUL
# args: ::kernel --arg 'x=bf16[R,C]'
# shapes: R=63..65 C=1..2
"""A block of 64 rows is copied, of which the last is one beyond the tile."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
    for block in range(R // 64):
        nisa.dma_copy(dst=tile, src=x[block * 64 : block * 64 + 65, :])
        nisa.dma_copy(dst=out[block * 64 : block * 64 + 64, :], src=tile)
    return out
