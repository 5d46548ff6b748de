# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""A counter in an attribute. It leaves the tile of sums in the eighteenth round."""
import nki
import nki.isa as nisa
import nki.language as nl


class Box:
    pass


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    acc = nl.ndarray((P, 17), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(acc, 0.0)
    c = Box()
    c.off = 0
    for i in range(N // 64):
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, i * 64 : i * 64 + 64])
        nisa.dma_copy(dst=out[:, i * 64 : i * 64 + 64], src=t)
        nisa.tensor_reduce(dst=acc[:, (c.off) // 64 : (c.off) // 64 + 1], op=nl.add, data=t, axis=1)
        c.off += 64
    return out
