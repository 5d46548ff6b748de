"""gelu of every matrix of a batch (legacy API), in tiles of 128 rows."""

# legal: rows % 128 == 0

import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def legacy_gelu_3d(batch):
    count, rows, cols = batch.shape
    out = nl.ndarray(batch.shape, dtype=batch.dtype, buffer=nl.shared_hbm)
    for b in nl.affine_range(count):
        for r in nl.affine_range(rows // 128):
            tile = nl.load(batch[b, r * 128 : (r + 1) * 128, :])
            # bug: nl.store(out[b, r * 127 : r * 127 + 128, :], nl.gelu(tile))
            nl.store(out[b, r * 128 : (r + 1) * 128, :], nl.gelu(tile))
    return out
