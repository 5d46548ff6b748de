# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# shapes: none
# args: ::kernel --arg 'x=bf16[256*n,columns:1..1024]' --grid 2
"""A buffer is written, and read by the other core, in each iteration, with barriers between all of it."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert rows % 256 == 0 and columns <= 1024 and nl.num_programs(0) == 2
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tmp = nl.ndarray((256, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    for i in range(rows // 256):
        t = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        first = 256 * i + 128 * core
        nisa.dma_copy(dst=t, src=x[first:first + 128])
        nisa.dma_copy(dst=tmp[128 * core:128 * core + 128], src=t)
        nisa.core_barrier(tmp, (0, 1))
        u = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=u, src=tmp[128 * (1 - core):128 * (1 - core) + 128])
        nisa.dma_copy(dst=out[first:first + 128], src=u)
        nisa.core_barrier(tmp, (0, 1))
    return out
