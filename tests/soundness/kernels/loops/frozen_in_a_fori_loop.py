# expect: 1 FAILED loop.dynamic_frozen:18
# args: ::sums --arg 'x=f32[P:1..128,F:1..4096]'
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def sums(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for i in nl.dynamic_range(0, 4):

        def body(j):
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
            nisa.register_move(j, i)
            nisa.register_move(i, j)

        nl.fori_loop(0, 3, body)
    nisa.dma_copy(dst=out, src=tile)
    return out
