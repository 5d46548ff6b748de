"""Root mean square of rows with a small number that has no default."""

# legal: all

import math

import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def norm(x, eps):
    N, D = x.shape
    y = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(D)[None, :]
    for i in nl.affine_range(math.ceil(N / 128)):
        ok = i * 128 + p < N
        t = nl.load(x[i * 128 + p, f], mask=ok)
        s = nl.sum(nl.square(t, mask=ok), axis=1, keepdims=True, mask=ok)
        r = nl.rsqrt(s / D + eps, mask=ok)
        # bug: nl.store(y[i * 128 + p, f], value=nl.multiply(t, r, mask=ok))
        nl.store(y[i * 128 + p, f], value=nl.multiply(t, r, mask=ok), mask=ok)
    return y
