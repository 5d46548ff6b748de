# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""Only the eighteenth round leaves the tile of sums."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    acc = nl.ndarray((P, 17), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(acc, 0.0)
    off = 0
    k = 0
    while off < N:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 64])
        nisa.dma_copy(dst=out[:, off : off + 64], src=t)
        nisa.tensor_reduce(dst=acc[:, k : k + 1], op=nl.add, data=t, axis=1)
        off += 64
        k += 1
    return out
