"""A bias of one row, read 128 times by an access pattern of step 0."""

# legal: P <= 128, bias0 == 1, N == F

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def bias_add(x, bias):
    """x: [P, F] plus a bias of one row, bias: [1, N]."""
    P, F = x.shape
    _, N = bias.shape
    assert bias.shape[0] == 1
    out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    x_tile = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=x_tile, src=x)
    b_tile = nl.ndarray((P, F), dtype=bias.dtype, buffer=nl.sbuf)
    # bug: nisa.dma_copy(dst=b_tile, src=bias.ap([[0, F], [1, P]]))
    nisa.dma_copy(dst=b_tile, src=bias.ap([[0, P], [1, F]]))
    nisa.tensor_tensor(dst=x_tile, data1=x_tile, data2=b_tile, op=nl.add)
    nisa.dma_copy(dst=out, src=x_tile)
    return out
