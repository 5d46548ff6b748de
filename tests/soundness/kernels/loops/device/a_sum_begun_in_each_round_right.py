# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=bf16[n,d]'
"""Each round allocates the tiles of PSUM that it adds up in, for which nothing says whether a sum goes on."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    n, d = x.shape
    assert n % 128 == 0 and d <= 1024
    out = nl.ndarray((n // 128, d), dtype=nl.float32, buffer=nl.shared_hbm)
    carry = nl.ndarray((1, d), dtype=nl.float32, buffer=nl.sbuf)
    ones = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=carry, value=0.0)
    nisa.memset(dst=ones, value=1.0)
    tiles = x.reshape((n // 128, 128, d))

    def body(i):
        t = nl.ndarray((128, d), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=tiles.ap(pattern=[[d, 128], [1, d]], scalar_offset=i, indirect_dim=0))
        for c in range(0, d, 512):
            w = min(512, d - c)
            p = nl.ndarray((1, w), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=p, stationary=ones, moving=t[:, c:c + w])
            nisa.tensor_tensor(dst=carry[:, c:c + w], data1=carry[:, c:c + w], data2=p, op=nl.add)
        nisa.dma_copy(dst=out.ap(pattern=[[d, 1], [1, d]], scalar_offset=i, indirect_dim=0), src=carry)

    nl.fori_loop(0, n // 128, body)
    return out
