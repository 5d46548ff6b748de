# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg x=f32[128,512] --arg 'rounds=i32[1,1] in 0..8'
"""Tiles that are handed on in turn: the third iteration adds what nothing has written."""
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
    first, second, never, total = tile(), tile(), tile(), tile()
    nisa.memset(dst=total, value=0.0)
    nisa.dma_copy(dst=first, src=x)
    nisa.dma_copy(dst=second, src=x)

    def body(i):
        nisa.tensor_tensor(dst=total, data1=total, data2=first, op=nl.add)
        nisa.tensor_copy(dst=first, src=second)
        nisa.tensor_copy(dst=second, src=never)

    nl.fori_loop(0, register_of(rounds), body)
    nisa.dma_copy(dst=out, src=total)
    return out
