# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg x=f32[128,512] --arg 'rounds=i32[1,1] in 0..8'
"""The second iteration stores what the first has left, which nothing has written."""
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
    kept, never = tile(), tile()
    nisa.dma_copy(dst=kept, src=x)
    nisa.dma_copy(dst=out, src=kept)

    def body(i):
        nisa.dma_copy(dst=out, src=kept)
        nisa.tensor_copy(dst=kept, src=never)

    nl.fori_loop(0, register_of(rounds), body)
    return out
