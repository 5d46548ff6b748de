# expect: 1 FAILED leg.oob_static:16
# args: ::tensor_transpose2D_kernel_ --arg in_tensor=f32[64,1024] --arg out_tensor=f32[64,1024] --arg shape2D='(32,32)'
"""Transpose of the two free dimensions, first release: index arithmetic on both sides."""
import numpy as np
import neuronxcc.nki.language as nl


def tensor_transpose2D_kernel_(in_tensor, out_tensor, shape2D):
    sz_p, _ = in_tensor.shape
    sz_f1, sz_f2 = shape2D
    in_tile = nl.load(in_tensor)
    out_tile = nl.zeros([sz_p, sz_f1 * sz_f2], dtype=in_tensor.dtype)
    i_p = nl.arange(sz_p)[:, None, None]
    i_f1 = nl.arange(sz_f1)[None, :, None]
    i_f2 = nl.arange(sz_f2)[None, None, :]
    out_tile[i_p, i_f2 * sz_f1 + i_f1] = nl.copy(in_tile[i_p, i_f1 * sz_f2 + i_f2 + 1])
    nl.store(out_tensor, value=out_tile)
