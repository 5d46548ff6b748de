# expect: 1 SUCCESSFUL
# expect: 4 FAILED
# args: ::kernel --arg 'x=f32[B,N]'
"""What is added has not been written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = []
    for _ in range((rows + 127) // 128):
        row = []
        for _ in range((columns + 511) // 512):
            row.append(nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf))
        tiles.append(row)
    sums = []
    for _ in range((rows + 127) // 128):
        row = []
        for _ in range((columns + 511) // 512):
            row.append(nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf))
        sums.append(row)
    for at in range((rows + 127) // 128):
        size = min(128, rows - at * 128)
        for column in range((columns + 511) // 512):
            width = min(512, columns - column * 512)
            tile, total = tiles[at][column][0:size, 0:width], sums[at][column][0:size, 0:width]
            place = slice(at * 128, at * 128 + size), slice(column * 512, column * 512 + width)
            nisa.dma_copy(dst=tile, src=x[place])
            nisa.tensor_tensor(dst=total, data1=tile, data2=total, op=nl.add)
            nisa.dma_copy(dst=out[place], src=total)
    return out
