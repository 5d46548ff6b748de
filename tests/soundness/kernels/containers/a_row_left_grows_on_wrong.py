# expect: 1 FAILED|UNKNOWN|BOUNDED
# args: ::kernel --arg 'x=f32[B:1..128,N]'
"""A row that an earlier loop has left grows on, and is the last row of the table as well."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = []
    for _ in range(columns):
        row = []
        row.append(nl.ndarray((rows, 1), dtype=x.dtype, buffer=nl.sbuf))
        tiles.append(row)
    for _ in range(columns):
        row.append(nl.ndarray((rows, 2), dtype=x.dtype, buffer=nl.sbuf))
    last = tiles[columns - 1]
    nisa.dma_copy(dst=last[len(last) - 1], src=x[:, 0:1])
    nisa.dma_copy(dst=out[:, 0:1], src=tiles[0][0])
    return out
