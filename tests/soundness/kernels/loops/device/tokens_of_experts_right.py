# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# shapes: none
# args: ::kernel --arg 'x=bf16[experts:1..8,capacity:1..64,d:1..2048]' --arg 'counts=i32[experts,1] in 0..capacity'
"""As many tokens of each expert as its count says; the others are zeros."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, counts):
    experts, capacity, d = x.shape
    e2, one = counts.shape
    assert experts == e2 and one == 1 and d <= 2048 and experts <= 64 and capacity <= 4096
    out = nl.ndarray((experts, capacity, d), dtype=x.dtype, buffer=nl.shared_hbm)
    n = nisa.register_alloc()
    for e in range(experts):
        nisa.register_load(n, counts[e:e + 1])
        zero = nl.ndarray((1, d), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=zero, value=0.0)
        for t in range(capacity):
            nisa.dma_copy(dst=out[e, t:t + 1], src=zero)

        def body(t):
            row = nl.ndarray((1, d), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=row, src=x.ap(pattern=[[d, 1], [1, d]], offset=e * capacity * d, scalar_offset=t, indirect_dim=1))
            nisa.activation(dst=row, op=nl.gelu, data=row)
            nisa.dma_copy(dst=out.ap(pattern=[[d, 1], [1, d]], offset=e * capacity * d, scalar_offset=t, indirect_dim=1), src=row)

        nl.fori_loop(0, n, body)
    return out
