# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::pool --arg x=f32[C,H,W] --arg pool_size=2 --where 'C <= 128 and 2 <= W and W <= 64 and 2 <= H and H <= 64'
"""Pooling with five-dimensional access patterns; legacy tutorial ported by others."""
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa


@nki.jit
def pool(x, pool_size):
    sz_cin, sz_hin, sz_win = x.shape
    sz_hout, sz_wout = sz_hin // pool_size, sz_win // pool_size
    out = nl.ndarray((sz_cin, sz_hout, sz_wout), dtype=x.dtype, buffer=nl.shared_hbm)
    i0 = nl.arange(sz_cin)[:, None, None, None, None]
    i1 = nl.arange(sz_hin // pool_size)[None, :, None, None, None]
    i2 = nl.arange(sz_win // pool_size)[None, None, :, None, None]
    i3 = nl.arange(pool_size)[None, None, None, :, None]
    i4 = nl.arange(pool_size)[None, None, None, None, :]
    tile = nl.ndarray((sz_cin, sz_hin, sz_win), dtype=x.dtype, buffer=nl.sbuf)
    tile[...] = nl.load(x)
    m = nl.max(tile[i0, pool_size * i1 + i3, pool_size * i2 + i4], axis=[3, 4])
    nl.store(out, value=m)
    return out
