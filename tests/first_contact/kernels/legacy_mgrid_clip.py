"""Every element between two bounds, in tiles that are cut off both ways."""

# legal: all

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def clip_kernel(inp, lo=-1.0, hi=1.0):
    sz_p, sz_f = inp.shape
    res = nl.ndarray(inp.shape, dtype=inp.dtype, buffer=nl.shared_hbm)
    ip, jf = nl.mgrid[0:128, 0:512]
    for p in nl.affine_range((sz_p + 127) // 128):
        for f in nl.affine_range((sz_f + 511) // 512):
            # bug: valid = (p * 128 + ip < sz_p) & (f * 512 + jf <= sz_f)
            valid = (p * 128 + ip < sz_p) & (f * 512 + jf < sz_f)
            tile = nl.load(inp[p * 128 + ip, f * 512 + jf], mask=valid)  # here
            tile = nl.minimum(nl.maximum(tile, lo), hi)
            nl.store(res[p * 128 + ip, f * 512 + jf], value=tile, mask=valid)  # here
    return res
