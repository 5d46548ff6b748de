# expect: 1 SUCCESSFUL leg.mask_and
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:1..128,C:1..512]'
"""Masks that a function returns, in a conjunction with another one, and in an expression of two; a condition of the
host that is written so is one."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


def valid(i, j, r, c):
    return i < r and j < c


@nki.jit
def kernel(x):
    r, c = x.shape
    out = nl.ndarray((r, c), dtype=x.dtype, buffer=nl.shared_hbm)
    ix, iy = nl.mgrid[0:128, 0:512]
    small = 0 < r < 64 and c > 2
    t = nl.load(x[ix, iy], mask=valid(ix, iy, r, c))
    if small:
        nl.store(out[ix, iy], t, mask=(ix < r and iy < c) & (0 <= ix))
    else:
        nl.store(out[ix, iy], t, mask=(0 <= ix < r) & (iy < c) if c > 1 else ix < r and iy < 1)
    return out
