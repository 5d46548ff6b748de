# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:1..128,C:1..2000]'
"""`and` of a condition on the loop's number and a mask."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    r, c = x.shape
    out = nl.ndarray((r, c), dtype=x.dtype, buffer=nl.shared_hbm)
    ix = nl.arange(128)[:, None]
    iy = nl.arange(512)[None, :]
    for j in nl.affine_range((c + 511) // 512):
        t = nl.load(x[ix, j * 512 + iy], mask=(ix < r) and (j * 512 + iy < c))
        nl.store(out[ix, j * 512 + iy], t, mask=(ix < r) and (j * 512 + iy < c))
    return out
