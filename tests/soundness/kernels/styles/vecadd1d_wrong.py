# expect: 4 FAILED df.output_written:24
# args: ::add --arg a=f32[1000000] --arg b=f32[1000000]
"""1-D vectors added in chunks of 128 x 512, the rest in rows."""
import nki
import nki.isa as nisa
import nki.language as nl

P, F = 128, 512
TILE = P * F


@nki.jit
def add(a, b):
    (n,) = a.shape
    out = nl.ndarray((n,), dtype=a.dtype, buffer=nl.shared_hbm)
    whole = n // TILE

    def block(start, p, f):
        ta = nl.ndarray((p, f), dtype=a.dtype, buffer=nl.sbuf)
        tb = nl.ndarray((p, f), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=ta, src=a.ap([[f, p], [1, f]], offset=start))
        nisa.dma_copy(dst=tb, src=b.ap([[f, p], [1, f]], offset=start))
        nisa.tensor_tensor(dst=ta, data1=ta, data2=tb, op=nl.add)
        nisa.dma_copy(dst=out.ap([[f, p], [1, f]], offset=start), src=ta)

    for i in range(whole):
        block(i * TILE, P, F)
    rest = n - whole * TILE
    rows = rest // F
    if rows > 0:
        block(whole * TILE, rows, F)
    tail = rest - rows * F - 1
    if tail > 0:
        block(whole * TILE + rows * F, 1, tail)
    return out
