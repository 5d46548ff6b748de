# expect: 4 FAILED
# args: ::conv2d_asst --arg 'X=f32[B,128*i,2*h,W:3..64]' --arg 'W=f32[128*o,128*i,3,3]' --arg 'bias=f32[128*o]' --where '2 <= h and h <= 32 and i <= 2 and o <= 2'
"""Each chunk of rows is stored where the first one is, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def conv2d_asst(X, W, bias, pool_size=1):
    batch_size, in_channels, input_height, input_width = X.shape
    out_channels, in_channels_, filter_height, filter_width = W.shape
    out_channels_ = bias.shape[0]
    assert in_channels_ == in_channels and out_channels_ == out_channels, f"Shape mismatch. {in_channels}, {out_channels}"
    out_height = input_height - filter_height + 1
    out_width = input_width - filter_width + 1
    out_pool_height = out_height // pool_size
    out_pool_width = out_width // pool_size
    assert in_channels % 128 == 0
    assert nl.tile_size.gemm_moving_fmax >= out_width
    X_out = nl.ndarray(shape=(batch_size, out_channels, out_pool_height, out_pool_width), dtype=X.dtype, buffer=nl.hbm)
    c_in_pmax = nl.tile_size.pmax
    n_tiles_c_in = in_channels // c_in_pmax
    n_tiles_c_out = out_channels // c_in_pmax
    W = W.reshape((n_tiles_c_out, c_in_pmax, n_tiles_c_in, c_in_pmax, filter_height, filter_width))
    weight_sbuf = nl.ndarray((n_tiles_c_out, nl.par_dim(c_in_pmax), n_tiles_c_in, c_in_pmax, filter_height, filter_width), dtype=W.dtype, buffer=nl.sbuf)
    weight_copy = nl.ndarray((filter_height, filter_width, n_tiles_c_out, n_tiles_c_in, nl.par_dim(c_in_pmax), c_in_pmax), dtype=W.dtype, buffer=nl.sbuf)
    w = nl.ndarray((filter_height, filter_width, n_tiles_c_out, n_tiles_c_in, nl.par_dim(c_in_pmax), c_in_pmax), dtype=W.dtype, buffer=nl.sbuf)
    for c_out in nl.affine_range(n_tiles_c_out):
        weight_sbuf[c_out] = nl.load(W[c_out])
    for i in nl.affine_range(filter_height):
        for j in nl.affine_range(filter_width):
            for co in nl.affine_range(n_tiles_c_out):
                for ci in nl.affine_range(n_tiles_c_in):
                    weight_copy[i, j, co, ci, :, :] = nl.copy(weight_sbuf[co, :, ci, :, i, j], dtype=W.dtype)
                    w[i, j, co, ci] = nisa.nc_transpose(weight_copy[i, j, co, ci])
    chunk = 2 if out_height % 2 == 0 else 1
    n_chunks = (out_height + chunk - 1) // chunk
    in_chunk = chunk + filter_height - 1
    for b in nl.affine_range(batch_size):
        for n in nl.affine_range(n_chunks):
            x = nl.ndarray((n_tiles_c_in, nl.par_dim(c_in_pmax), in_chunk, input_width), dtype=X.dtype, buffer=nl.sbuf)
            for ci in nl.affine_range(n_tiles_c_in):
                x[ci] = nl.load(X[b, ci * c_in_pmax:(ci + 1) * c_in_pmax, n * chunk:n * chunk + in_chunk, :])
            for co in nl.affine_range(n_tiles_c_out):
                output = nl.ndarray((nl.par_dim(c_in_pmax), chunk, out_width), dtype=X.dtype, buffer=nl.sbuf)
                bias_sbuf = nl.ndarray((nl.par_dim(c_in_pmax), 1), dtype=bias.dtype, buffer=nl.sbuf)
                bias_sbuf[...] = nl.load(bias[co * c_in_pmax:(co + 1) * c_in_pmax])
                for oh in nl.affine_range(chunk):
                    res = nl.zeros((nl.par_dim(c_in_pmax), out_width), nl.float32, buffer=nl.psum)
                    for i in nl.affine_range(filter_height):
                        for j in nl.affine_range(filter_width):
                            for ci in nl.affine_range(n_tiles_c_in):
                                res += nl.matmul(w[i, j, co, ci], x[ci, :, oh + i, j:j + out_width], transpose_x=True)
                    out_sb = nl.copy(res, dtype=X_out.dtype)
                    output[:, oh, :] = nisa.tensor_scalar(out_sb, np.add, bias_sbuf)
                if pool_size > 1:
                    i0 = nl.arange(c_in_pmax)[:, None, None, None, None]
                    i1 = nl.arange(chunk // pool_size)[None, :, None, None, None]
                    i2 = nl.arange(pool_size)[None, None, :, None, None]
                    i3 = nl.arange(out_pool_width)[None, None, None, :, None]
                    i4 = nl.arange(pool_size)[None, None, None, None, :]
                    pooled = nl.max(output[i0, i1 * pool_size + i2, i3 * pool_size + i4], axis=[2, 4])
                    nl.store(X_out[b, co * 128:(co + 1) * 128, n * chunk // pool_size:(n + 1) * chunk // pool_size, :], pooled)
                else:
                    nl.store(X_out[b, co * 128:(co + 1) * 128, 0:chunk, :], value=output)
    return X_out
