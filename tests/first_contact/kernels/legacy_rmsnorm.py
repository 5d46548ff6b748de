"""RMS norm (legacy API) of rows in blocks of 128, the last one masked; one weight for each column."""

# legal: cols == cols_

import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def legacy_rmsnorm(x, gain):
    rows, cols = x.shape
    (cols_,) = gain.shape
    assert cols == cols_
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    ix = nl.arange(128)[:, None]
    iy = nl.arange(cols)[None, :]
    iw = nl.arange(1)[:, None]
    weights = nl.load(gain.reshape((1, cols))[iw, iy])
    for i in nl.affine_range((rows + 127) // 128):
        tile = nl.load(x[i * 128 + ix, iy], mask=(i * 128 + ix < rows))
        squares = nl.square(tile)
        mean = nl.sum(squares, axis=[1]) / cols
        scaled = tile * nl.rsqrt(mean)
        spread = weights.broadcast_to((128, cols))
        scaled[...] = nl.multiply(scaled, spread, mask=(i * 128 + ix < rows))
        # bug: nl.store(out[i * 128 + ix, iy], value=scaled, mask=(i * 128 + ix < rows - 1))
        nl.store(out[i * 128 + ix, iy], value=scaled, mask=(i * 128 + ix < rows))
    return out
