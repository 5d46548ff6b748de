# expect: 1 SUCCESSFUL
# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=bf16[128,64*T]'
# shapes: T=1..4
"""The last of the loaded tiles is not stored behind the loop."""
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    cur = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    before = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(N // 64):
        nisa.dma_copy(dst=cur, src=x[:, i * 64 : (i + 1) * 64])
        if i > 0:
            nisa.dma_copy(dst=out[:, (i - 1) * 64 : i * 64], src=before)
        cur, before = before, cur
    return out
