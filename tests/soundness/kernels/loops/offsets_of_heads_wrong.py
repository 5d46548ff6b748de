# expect: 2 FAILED host.int32
# args: ::kernel --arg 'k=bf16[B,G,S,D:1..128]' --where 'S % 128 == 0'
# shapes: none
"""Offsets leave 32 bits behind many thousands of iterations: no run comes to it that begins with the first one."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(k):
    batches, groups, length, size = k.shape
    out = nl.ndarray((batches, groups, length, size), dtype=k.dtype, buffer=nl.shared_hbm)
    for batch in range(batches):
        for group in range(groups):
            for part in range(length // 128):
                tile = nl.ndarray((size, 128), dtype=k.dtype, buffer=nl.sbuf)
                first = ((batch * groups + group) * length + part * 128) * size
                nisa.dma_copy(dst=tile, src=k.ap(pattern=[[1, size], [size, 128]], offset=first))
                back = out.ap(pattern=[[1, size], [size, 128]], offset=first)
                nisa.dma_copy(dst=back, src=tile)
    return out
