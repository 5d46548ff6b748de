# expect: 1 SUCCESSFUL idx.range:13
# expect: 4 SUCCESSFUL
# args: ::copies --arg 'x=f32[P:1..128,F:1..2048]'
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def copies(x):
    tile = nl.load(x)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[:, range(x.shape[1])], src=tile[:, range(0, x.shape[1])])
    return out
