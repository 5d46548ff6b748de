# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::tensor_avgpool_kernel_ --arg in_tensor=f32[64,6,6] --arg out_tensor=f32[64,3,3] --arg pool_size=2
"""Average pooling, first release, sums along new axes."""
import neuronxcc.nki.language as nl


def tensor_avgpool_kernel_(in_tensor, out_tensor, pool_size):
    sz_cin, sz_hin, sz_win = in_tensor.shape
    sz_cout, sz_hout, sz_wout = out_tensor.shape
    assert sz_cin == sz_cout
    sz_p = sz_cin
    sz_pool = pool_size
    in_tile = nl.load(in_tensor)
    i0 = nl.arange(sz_p)[:, None, None, None, None]
    i1 = nl.arange(sz_hin // sz_pool)[None, :, None, None, None]
    i2 = nl.arange(sz_win // sz_pool)[None, None, :, None, None]
    i3 = nl.arange(sz_pool)[None, None, None, :, None]
    i4 = nl.arange(sz_pool)[None, None, None, None, :]
    out_tile = nl.sum(in_tile[i0, pool_size*i1+i3, sz_pool*i2+i4], axis=[3, 4]) / (pool_size * pool_size)
    nl.store(out_tensor, value=out_tile)
