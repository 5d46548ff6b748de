# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg x=f32[128,512] --arg 'rounds=i32[1,1] in 0..8'
"""Rows that nothing has written meet zeros in the first iteration, which writes ones over them."""
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
    zeros, half, total = tile((128, 128), nl.bfloat16), tile((128, 512), nl.bfloat16), tile()
    nisa.memset(dst=zeros, value=0.0)
    nisa.memset(dst=total, value=0.0)
    nisa.dma_copy(dst=half[0:64], src=x[0:64])

    def body(i):
        product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=product, stationary=zeros, moving=half)
        nisa.tensor_tensor(dst=total, data1=total, data2=product, op=nl.add)
        nisa.memset(dst=zeros, value=1.0)

    nl.fori_loop(0, register_of(rounds), body)
    nisa.dma_copy(dst=out, src=total)
    return out
