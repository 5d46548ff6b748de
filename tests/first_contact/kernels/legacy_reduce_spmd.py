"""Each program of a grid reduces its 128 rows (legacy API)."""

# legal: rows == 128 * G

import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def legacy_reduce_spmd(x):
    rows, cols = x.shape
    out = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    start = nl.program_id(0) * 128
    tile = nl.load(x[start : start + 128, 0:cols])
    sums = nl.sum(tile, axis=1, keepdims=True)
    # bug: nl.store(out[start : start + 64, 0:1], sums[0:64, :])
    nl.store(out[start : start + 128, 0:1], sums)
    return out
