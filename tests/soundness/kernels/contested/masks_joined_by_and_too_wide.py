# expect: 1 FAILED :17
# args: ::kernel --arg 'x=f32[100,300]'
"""The second part of the mask lets columns beyond the tensor through, and a chain of comparisons is a mask as well."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    r, c = x.shape
    out = nl.ndarray((r, c), dtype=x.dtype, buffer=nl.shared_hbm)
    ix = nl.arange(128)[:, None]
    iy = nl.arange(512)[None, :]
    rows = 0 <= ix < r
    mask = (0 <= ix < r) & (iy < c) if r < 128 else iy < c
    t = nl.load(x[ix, iy], mask=mask)
    nl.store(out[ix, iy], t, mask=rows and iy < c + 1)
    return out
