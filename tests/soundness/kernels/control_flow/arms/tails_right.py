# expect: 1 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'a=f32[A:1..1024,H:1..2048]' --arg 'b=f32[B:1..1024,H]' --arg 'c=f32[C:1..1024,H]' --arg 'd=f32[D:1..1024,H]'
# shapes: A=1..200:98 B=7 C=128 D=200 H=2
"""Each of four arguments has a ragged tail, with arms of its own: 4 times 3 ways, and not 3 to the power of 4."""

import nki
import nki.isa as nisa
import nki.language as nl


def copied(x, columns):
    rows = x.shape[0]
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    full, left = rows // 128, rows % 128
    for part in range(full):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[part * 128 : part * 128 + 128, :])
        nisa.dma_copy(dst=out[part * 128 : part * 128 + 128, :], src=tile)
    if left > 0:
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[:left], src=x[full * 128 : rows, :])
        if left >= 64:
            nisa.tensor_scalar(dst=tile[:left], data=tile[:left], op0=nl.multiply, operand0=3.0)
        else:
            nisa.tensor_scalar(dst=tile[:left], data=tile[:left], op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=out[full * 128 : rows, :], src=tile[: rows - full * 128])
    return out


@nki.jit
def kernel(a, b, c, d):
    columns = a.shape[1]
    return copied(a, columns), copied(b, columns), copied(c, columns), copied(d, columns)
