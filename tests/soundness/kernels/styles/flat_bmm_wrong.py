# expect: 4 FAILED df.affine_range:27
# args: ::kernel --arg v1=bf16[4,256,512] --arg v2=bf16[4,512,1024]
"""Compiler-written batched matmul: transpose through PSUM, block dimensions before par_dim."""
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt


@nki.jit
def kernel(v1, v2):
  v3 = nl.ndarray((4, 256, 1024), dtype=nl.bfloat16, buffer=nl.shared_hbm)
  v9 = nl.zeros((1, nl.par_dim(128), 128), dtype=nl.bfloat16, name='identity', buffer=nl.sbuf)
  for i0 in nl.affine_range(4):
    v4 = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.bfloat16, name='lhs_local', buffer=nl.sbuf)
    v5 = nl.ndarray((4, nl.par_dim(128), 1024), dtype=nl.bfloat16, name='rhs_local', buffer=nl.sbuf)
    v6 = nl.ndarray((4, nl.par_dim(128), 256), dtype=nl.bfloat16, name='lhsT', buffer=nl.sbuf)
    for i1 in nl.affine_range(2):
      v4[i1, nl.arange(128)[:, None], nl.arange(512)[None, :]] = nl.load(v1[i0, 128*i1+nl.arange(128)[:, None], nl.arange(512)[None, :]], dtype=nl.bfloat16)
    for i2 in nl.affine_range(4):
      v5[i2, nl.arange(128)[:, None], nl.arange(1024)[None, :]] = nl.load(v2[i0, 128*i2+nl.arange(128)[:, None], nl.arange(1024)[None, :]], dtype=nl.bfloat16)
    for i3 in nl.affine_range(2):
      for i4 in nl.affine_range(2):
        for i5 in nl.affine_range(2):
          v7 = nisa.nc_transpose(v4[i5, nl.arange(128)[:, None], 128*(2*i3+i4)+nl.arange(128)[None, :]])
          v6[2*i3+1, nl.arange(128)[:, None], 128*i5+nl.arange(128)[None, :]] = nisa.tensor_copy(v7, dtype=nl.bfloat16)
    for i6 in nl.affine_range(2):
      for i7 in nl.affine_range(2):
        v8 = nl.zeros((nl.par_dim(128), 512), dtype=np.float32, name='dot.3', buffer=nl.psum, lazy_initialization=True)
        for i8 in nl.affine_range(4):
          v8[nl.arange(128)[:, None], nl.arange(512)[None, :]] += nisa.nc_matmul(v6[i8, nl.arange(128)[:, None], 128*i6+nl.arange(128)[None, :]], v5[i8, nl.arange(128)[:, None], 512*i7+nl.arange(512)[None, :]])
        v10 = nl.copy(v8[nl.arange(128)[:, None], nl.arange(512)[None, :]], dtype=nl.bfloat16)
        nl.store(v3[i0, 128*i6+nl.arange(128)[:, None], 512*i7+nl.arange(512)[None, :]], value=v10)
  return v3
