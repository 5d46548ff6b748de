# expect: 4 SUCCESSFUL
# args: ::kernel --arg x=f32[128,512] --arg 'rounds=i32[1,1] in 0..8'
"""Nested loops with tiles allocated before them: an iteration reads what it has written itself."""
import nki
import nki.isa as nisa
import nki.language as nl


def tile(shape=(128, 512), dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def register_of(number):
    count = tile((1, 1), nl.int32)
    nisa.dma_copy(dst=count, src=number)
    register = nisa.register_alloc()
    nisa.register_load(register, count)
    return register


@nki.jit
def kernel(x, rounds):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    loaded, total, scratch = tile(), tile(), tile()
    nisa.memset(dst=total, value=0.0)
    count = register_of(rounds)

    def inner(j):
        nisa.tensor_copy(dst=scratch, src=loaded)
        nisa.tensor_tensor(dst=total, data1=total, data2=scratch, op=nl.add)

    def outer(i):
        nisa.dma_copy(dst=loaded, src=x)
        nl.fori_loop(0, count, inner)
        nisa.tensor_tensor(dst=total, data1=total, data2=loaded, op=nl.add)

    nl.fori_loop(0, count, outer)
    nisa.dma_copy(dst=out, src=total)
    return out
