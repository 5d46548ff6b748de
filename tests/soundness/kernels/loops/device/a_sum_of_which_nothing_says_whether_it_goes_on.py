# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 UNKNOWN
# args: ::kernel --arg 'x=bf16[n,d]'
"""A tile of PSUM outside of the loop: the first round writes it, no page says whether the others add to it."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    n, d = x.shape
    assert n % 128 == 0 and d <= 512
    out = nl.ndarray((n // 128, d), dtype=nl.float32, buffer=nl.shared_hbm)
    ones = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=ones, value=1.0)
    tiles = x.reshape((n // 128, 128, d))
    p = nl.ndarray((1, d), dtype=nl.float32, buffer=nl.psum)

    def body(i):
        t = nl.ndarray((128, d), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=tiles.ap(pattern=[[d, 128], [1, d]], scalar_offset=i, indirect_dim=0))
        r = nl.ndarray((1, d), dtype=nl.float32, buffer=nl.sbuf)
        nisa.nc_matmul(dst=p, stationary=ones, moving=t)
        nisa.tensor_copy(dst=r, src=p)
        nisa.dma_copy(dst=out.ap(pattern=[[d, 1], [1, d]], scalar_offset=i, indirect_dim=0), src=r)

    nl.fori_loop(0, n // 128, body)
    return out
