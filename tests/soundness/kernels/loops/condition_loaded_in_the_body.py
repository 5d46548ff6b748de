# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::counts_down --arg 'x=f32[P:1..128,F:1..4096]' --arg 'count=i32[1,1]'
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def counts_down(x, count):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    left = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=left, src=count)
    first = nisa.register_alloc()
    nisa.register_load(first, left)

    def body(more):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
        nisa.tensor_scalar(dst=left, data=left, op0=nl.subtract, operand0=2)
        nisa.register_load(more, left)
        return more

    nl.while_loop(first, body)
    nisa.dma_copy(dst=out, src=tile)
    return out
