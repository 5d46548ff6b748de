# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[N:1..64,128,C:1..512]' --arg 'used=i32[1,1] in 0..N'
"""nl.fori_loop: the upper bound is a register; pages of HBM are read where the loop's register says."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, used):
    pages, rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0)
    count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=count, src=used)
    upper = nisa.register_alloc()
    nisa.register_load(upper, count)

    def add(i):
        page = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
        pattern = [[columns, rows], [1, columns]]
        nisa.dma_copy(dst=page, src=x.ap(pattern=pattern, scalar_offset=i, indirect_dim=0))
        nisa.tensor_tensor(dst=total, data1=total, data2=page, op=nl.add)

    nl.fori_loop(0, upper, add)
    nisa.dma_copy(dst=out, src=total)
    return out
