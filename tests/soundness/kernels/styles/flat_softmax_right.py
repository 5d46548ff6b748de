# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg v1=f32[2,8,512,512]
"""Compiler-written softmax with many index axes."""
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(v1):
  v2 = nl.ndarray((2, 8, 512, 512), dtype=np.float32, buffer=nl.shared_hbm)
  for i0 in nl.affine_range(2):
    for i1 in nl.affine_range(2):
      v3 = nl.ndarray((4, nl.par_dim(128), 4, 512), dtype=np.float32, name='x', buffer=nl.sbuf)
      for i2 in nl.affine_range(4):
        v3[i2, nl.arange(128)[:, None, None], nl.arange(4)[None, :, None], nl.arange(512)[None, None, :]] = nl.load(v1[i0, 4*i1+nl.arange(4)[None, :, None], 128*i2+nl.arange(128)[:, None, None], nl.arange(512)[None, None, :]])
        v4 = nl.ndarray((nl.par_dim(128), 4, 1), dtype=np.float32, name='max', buffer=nl.sbuf)
        v4[nl.arange(128)[:, None, None], nl.arange(4)[None, :, None], nl.arange(1)[None, None, :]] = nisa.tensor_reduce(np.max, data=v3[i2, nl.arange(128)[:, None, None], nl.arange(4)[None, :, None], nl.arange(512)[None, None, :]], axis=[2], keepdims=True, dtype=np.float32, negate=True)
        v5 = nl.ndarray((nl.par_dim(128), 4, 512), dtype=np.float32, buffer=nl.sbuf)
        v6 = nl.zeros((nl.par_dim(128), 4), dtype=np.float32, buffer=nl.sbuf)
        for i3 in nl.affine_range(4):
          v5[nl.arange(128)[:, None], i3, nl.arange(512)[None, :]] = nisa.activation(op=np.exp, data=v3[i2, nl.arange(128)[:, None], i3, nl.arange(512)[None, :]], bias=v4[nl.arange(128)[:, None], i3, nl.arange(1)[None, :]], scale=1.0)
          v6[nl.arange(128)[:, None], i3+nl.arange(1)[None, :]] = nisa.tensor_reduce(np.add, v5[nl.arange(128)[:, None], i3, nl.arange(512)[None, :]], axis=[1], keepdims=True, dtype=np.float32)
        v7 = nisa.reciprocal(v6[nl.arange(128)[:, None], nl.arange(4)[None, :]])
        v8 = nl.multiply(v5[nl.arange(128)[:, None, None], nl.arange(4)[None, :, None], nl.arange(512)[None, None, :]], v7[nl.arange(128)[:, None, None], nl.arange(4)[None, :, None]])
        nl.store(v2[i0, 4*i1+nl.arange(4)[None, :, None], 128*i2+nl.arange(128)[:, None, None], nl.arange(512)[None, None, :]], value=v8)
  return v2
