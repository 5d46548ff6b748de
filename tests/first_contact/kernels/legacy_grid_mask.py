"""Product over a grid of blocks of 128 by 512 whose last ones are masked: the launch has to be large enough."""

# legal: R <= 128 * G0, C <= 512 * G1, R == R2, C == C2

import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def grid_mul(a, b):
    R, C = a.shape
    R2, C2 = b.shape
    assert a.shape == b.shape
    out = nl.ndarray((R, C), dtype=a.dtype, buffer=nl.shared_hbm)
    i = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    j = nl.program_id(1) * 512 + nl.arange(512)[None, :]
    ok = (i < R) & (j < C)
    x = nl.load(a[i, j], mask=ok)
    # bug: y = nl.load(b[i, j], mask=(i < R))
    y = nl.load(b[i, j], mask=ok)
    nl.store(out[i, j], value=nl.multiply(x, y, mask=ok), mask=ok)
    return out
