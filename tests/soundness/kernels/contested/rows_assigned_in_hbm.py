# expect: 1 SUCCESSFUL tensor.setitem:11
# expect: 4 SUCCESSFUL
# args: ::copies --arg 'x=f32[P:1..128,F:1..2048]'
import nki
import nki.language as nl


@nki.jit
def copies(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    out[:, :] = nl.load(x)
    return out
