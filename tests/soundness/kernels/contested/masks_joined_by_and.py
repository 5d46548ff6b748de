# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[100,300]'
"""`and` of masks of index grids, legacy."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    r, c = x.shape
    out = nl.ndarray((r, c), dtype=x.dtype, buffer=nl.shared_hbm)
    ix = nl.arange(128)[:, None]
    iy = nl.arange(512)[None, :]
    t = nl.load(x[ix, iy], mask=((ix < r) & (iy < c)))
    nl.store(out[ix, iy], t, mask=((ix < r) and (iy < c)))
    return out
