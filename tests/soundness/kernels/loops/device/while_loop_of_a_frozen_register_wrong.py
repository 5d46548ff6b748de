# expect: 1 FAILED loop.dynamic_frozen:20
# args: ::kernel --arg 'x=f32[1,8]' --arg 'start=i32[1,1] in 0..4'
"""The register of a dynamic_range is only read, also where a while_loop is given it."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, start):
    row = nl.ndarray((1, 8), dtype=nl.float32, buffer=nl.sbuf)
    left = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=x)
    nisa.dma_copy(dst=left, src=start)
    rounds = nisa.register_alloc()
    nisa.register_load(rounds, left)

    def body(condition):
        nisa.register_load(condition, left)
        return condition

    for i in nl.dynamic_range(rounds):
        nl.while_loop(i, body)
    result = nl.ndarray((1, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=result, src=row)
    return result
