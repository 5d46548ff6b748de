# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL|UNKNOWN
# args: ::kernel --arg 'x=f32[N:1..32,64]'
"""Each iteration shuffles the partition of its own number to all of a quadrant: all of them are written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, 32, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((32, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0)
    nisa.dma_copy(dst=tile[0:rows], src=x)
    for i in range(rows):
        same = nl.ndarray((32, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.nc_stream_shuffle(dst=same, src=tile, shuffle_mask=[i] * 32)
        nisa.dma_copy(dst=out[i], src=same)
    return out
