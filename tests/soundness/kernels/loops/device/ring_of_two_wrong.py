# expect: 4 FAILED df.read_unwritten:22
# args: ::kernel --arg 'x=f32[128*m,N:1..1024]'
"""The first round uses what only it loads for the next one."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import rows_at


@nki.jit
def kernel(x):
    rows, columns = x.shape
    result = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    now = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    after = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    total = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(total, 0.0)

    def body(i):
        nisa.dma_copy(dst=after, src=rows_at(x, i, 128))
        nisa.tensor_tensor(dst=total, data1=total, data2=now, op=nl.add)
        nisa.tensor_copy(dst=now, src=after)

    nl.fori_loop(0, rows, body, 128)
    nisa.dma_copy(dst=result, src=total)
    return result
