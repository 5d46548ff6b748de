# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=bf16[128,N:1..1000000]'
"""What is left after the last whole tile is not copied."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    off = 0
    while off + 64 <= N:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 64])
        nisa.dma_copy(dst=out[:, off : off + 64], src=t)
        off += 64
    return out
