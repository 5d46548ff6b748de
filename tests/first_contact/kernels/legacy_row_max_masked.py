"""The maximum of rows, block by block with masks, subtracted in a second pass."""

# legal: all

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def max_sub(logits):
    """logits: [B, V]; the greatest logit of each row is subtracted, in chunks of the vocabulary."""
    B, V = logits.shape
    TP, TV = nl.tile_size.pmax, 1024
    out = nl.ndarray((B, V), dtype=logits.dtype, buffer=nl.shared_hbm)
    ip = nl.arange(TP)[:, None]
    iv = nl.arange(TV)[None, :]
    n_v = (V + TV - 1) // TV
    for b in nl.affine_range((B + TP - 1) // TP):
        highest = nl.full((TP, 1), fill_value=-9.0e9, dtype=nl.float32, buffer=nl.sbuf)
        for v in nl.sequential_range(n_v):
            ok = (b * TP + ip < B) & (v * TV + iv < V)
            t = nl.load(logits[b * TP + ip, v * TV + iv], mask=ok)
            m = nl.max(t, axis=1, keepdims=True, mask=ok)
            highest[:, :] = nl.maximum(highest, m, mask=(b * TP + ip < B))
        for v in nl.affine_range(n_v):
            # bug: ok = b * TP + ip < B
            ok = (b * TP + ip < B) & (v * TV + iv < V)
            t = nl.load(logits[b * TP + ip, v * TV + iv], mask=ok)  # here
            nl.store(out[b * TP + ip, v * TV + iv], nl.subtract(t, highest, mask=ok), mask=ok)
    return out
