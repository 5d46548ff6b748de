# expect: 1 FAILED
# args: ::rmsnorm --arg a=bf16[N,D] --arg g=bf16[D] --where 'D <= 4096 and N <= 100000'
"""The mask of the store is one row too long, legacy API."""

import math

from neuronxcc import nki
import neuronxcc.nki.language as nl


@nki.jit
def rmsnorm(a, g, eps: float = 1e-6):
    assert a.shape[1] == g.shape[0]
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    ix = nl.arange(128)[:, None]
    iw = nl.arange(1)[:, None]
    iy = nl.arange(a.shape[1])[None, :]
    n = a.shape[0]
    gt = nl.load(g.reshape((1, a.shape[1]))[iw, iy])
    for i in nl.affine_range(math.ceil(n / 128)):
        at = nl.load(a[i * 128 + ix, iy], mask=(i * 128 + ix < n))
        sq = nl.square(at)
        ss = nl.sum(sq, axis=[1])
        mean = ss / a.shape[1]
        r = nl.rsqrt(mean + eps)
        o = nl.multiply(at, r)
        gb = gt.broadcast_to((128, a.shape[1]))
        o[...] = nl.multiply(o, gb, mask=(i * 128 + ix < n))
        nl.store(out[i * 128 + ix, iy], value=o, mask=(i * 128 + ix <= n))
    return out
