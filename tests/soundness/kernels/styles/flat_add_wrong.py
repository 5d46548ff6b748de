# expect: 4 FAILED df.read_unwritten:20
# args: ::fused_add_mul --arg v1=f32[4096,1024] --arg v2=f32[4096,1024]
"""Compiler-written: flat."""
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


@nki.jit
def fused_add_mul(v1, v2):
  v3 = nl.ndarray((4096, 1024), dtype=np.float32, buffer=nl.shared_hbm)
  # PARTITION_TILE=128
  v4 = nl.ndarray((8, 4, nl.par_dim(128), 1024), dtype=np.float32, name='add.2', buffer=nl.sbuf)
  for i0 in nl.affine_range(8):
    for i1 in nl.affine_range(4):
      v5 = nl.load(v1[512*i0+128*i1+nl.arange(128)[:, None], nl.arange(1024)[None, :]], dtype=np.float32, mask=None)
      v6 = nl.load(v2[512*i0+128*i1+nl.arange(128)[:, None], nl.arange(1024)[None, :]], dtype=np.float32, mask=(512*i0+128*i1+nl.arange(128)[:, None] <= 4096-2))
      v4[i0, i1, nl.arange(128)[:, None], nl.arange(1024)[None, :]] = nisa.tensor_tensor(v5, v6, op=np.add, dtype=np.float32, mask=None)
  for i2 in nl.affine_range(32):
    for i3 in nl.affine_range(2):
      i4 = nl.arange(128)[:, None]
      i5 = nl.arange(512)[None, :]
      v7 = nisa.tensor_scalar(v4[i2 // 4, i2 % 4, i4, 512*i3+i5], op0=np.multiply, operand0=2.0, dtype=np.float32)
      nl.store(v3[128*i2+i4, 512*i3+i5], value=v7)
  return v3
