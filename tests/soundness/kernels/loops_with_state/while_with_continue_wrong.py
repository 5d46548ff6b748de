# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
"""Without its first tile."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    off = 0
    while off < N:
        at = off
        off += 64
        if at == 0:
            continue
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, at : at + 64])
        nisa.dma_copy(dst=out[:, at : at + 64], src=t)
    return out
