"""Softmax of rows in the legacy API, with a mask for the last block."""

# legal: all

import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def legacy_softmax_masked(x):
    rows, cols = x.shape
    out = nl.ndarray((rows, cols), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(cols)[None, :]
    for block in nl.affine_range((rows + 127) // 128):
        inside = block * 128 + p < rows
        # bug: tile = nl.load(x[block * 128 + p, f])
        tile = nl.load(x[block * 128 + p, f], mask=inside)
        high = nl.max(tile, axis=1, keepdims=True, mask=inside)
        exps = nl.exp(tile - high, mask=inside)
        total = nl.sum(exps, axis=1, keepdims=True, mask=inside)
        nl.store(out[block * 128 + p, f], exps / total, mask=inside)
    return out
