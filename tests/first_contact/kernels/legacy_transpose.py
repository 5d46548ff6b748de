"""Every row is a matrix of F1 by F2, which is turned (legacy API)."""

# legal: P <= 128, F == f1 * f2
# bounded

import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def legacy_transpose(x, f1, f2):
    P, F = x.shape
    assert F == f1 * f2
    assert P <= 128
    out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(P)[:, None]
    tile = nl.load(x[i, nl.arange(F)[None, :]])
    turned = nl.ndarray((nl.par_dim(P), F), dtype=x.dtype)
    for a in nl.affine_range(f1):
        for b in nl.affine_range(f2):
            # bug: turned[:, nl.ds(b * f2 + a, 1)] = nl.copy(tile[:, nl.ds(a * f2 + b, 1)])
            turned[:, nl.ds(b * f1 + a, 1)] = nl.copy(tile[:, nl.ds(a * f2 + b, 1)])
    nl.store(out[i, nl.arange(F)[None, :]], turned)
    return out
