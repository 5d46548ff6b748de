# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'q=bf16[B,N,S,D:1..128]' --arg 'k=bf16[B,G,S,D]' --where 'S % 128 == 0' --where 'N % G == 0'
# shapes: none
"""Of two heads of a group, or more, the last one is left out."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(q, k):
    batches, heads, length, size = q.shape
    groups = k.shape[1]
    each = heads // groups
    out = nl.ndarray((batches, heads, 128, length), dtype=q.dtype, buffer=nl.shared_hbm)
    for batch in range(batches):
        for group in range(groups):
            for within in range(each - min(1, each // 2)):
                head = group * each + within
                for part in range(length // 128):
                    tile = nl.ndarray((128, 128), dtype=q.dtype, buffer=nl.sbuf)
                    nisa.memset(dst=tile, value=0.0)
                    nisa.dma_copy(dst=tile[:, :size], src=q[batch, head, part * 128 : part * 128 + 128, :])
                    nisa.dma_copy(dst=out[batch, head, :, part * 128 : part * 128 + 128], src=tile)
    return out
