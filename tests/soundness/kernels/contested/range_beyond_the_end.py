# expect: 1 FAILED idx.oob:11
# args: ::copies --arg 'x=f32[P:1..128,F:1..2048]'
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def copies(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[:, range(1, x.shape[1] + 1)])
    return out
