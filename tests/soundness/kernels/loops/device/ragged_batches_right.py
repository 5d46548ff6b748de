# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[B:1..8,S:1..64,N:1..1024]' --arg 'lengths=i32[B,1] in 0..S'
"""Rows of a batch up to its length, the others zero."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, lengths):
    batches, length, columns = x.shape
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    zeros = nl.ndarray((length, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(zeros, 0.0)
    row = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
    number = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    rows = nisa.register_alloc()
    for batch in range(batches):
        nisa.dma_copy(dst=result[batch], src=zeros)
        nisa.dma_copy(dst=number, src=lengths[batch : batch + 1, 0:1])
        nisa.register_load(rows, number)

        def copy(i):
            at = batch * length * columns
            place = [[columns, 1], [1, columns]]
            nisa.dma_copy(dst=row, src=x.ap(pattern=place, offset=at, scalar_offset=i, indirect_dim=1))
            nisa.dma_copy(dst=result.ap(pattern=place, offset=at, scalar_offset=i, indirect_dim=1), src=row)

        nl.fori_loop(0, rows, copy)
    return result
