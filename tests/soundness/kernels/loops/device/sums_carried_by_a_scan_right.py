# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# shapes: none
# args: ::kernel --arg 'x=f32[rows:1..128,256*n]'
"""A scan of each block begins with the last column of the one before."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert rows <= 128 and columns % 256 == 0
    out = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    carry = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=carry, value=0.0)
    ones = nl.ndarray((rows, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=ones, value=1.0)

    def body(c):
        block = nl.ndarray((rows, 256), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=block, src=x.ap(pattern=[[columns, rows], [1, 256]], offset=0, scalar_offset=c, indirect_dim=1))
        scan = nl.ndarray((rows, 256), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor_scan(dst=scan, data0=ones, data1=block, initial=carry, op0=nl.multiply, op1=nl.add)
        nisa.tensor_copy(dst=carry, src=scan[:, 255:256])
        nisa.dma_copy(dst=out.ap(pattern=[[columns, rows], [1, 256]], offset=0, scalar_offset=c, indirect_dim=1), src=scan)

    nl.fori_loop(0, columns, body, 256)
    return out
