"""A matmul in whole tiles (legacy API), the shapes checked at its top."""

# legal: K % 128 == 0, M % 128 == 0, N % 512 == 0, K == K_

import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def legacy_matmul(lhsT, rhs):
    K, M = lhsT.shape
    K_, N = rhs.shape
    assert K == K_, "as many rows"
    assert K % 128 == 0 and M % 128 == 0 and N % 512 == 0
    out = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(M // 128):
        for n in nl.affine_range(N // 512):
            acc = nl.zeros((128, 512), nl.float32, buffer=nl.psum)
            for k in nl.affine_range(K // 128):
                # bug: left = nl.load(lhsT[nl.ds(k * 128, 128), nl.ds(m * 128 + 1, 128)])
                left = nl.load(lhsT[nl.ds(k * 128, 128), nl.ds(m * 128, 128)])
                right = nl.load(rhs[nl.ds(k * 128, 128), nl.ds(n * 512, 512)])
                acc += nl.matmul(left, right, transpose_x=True)
            nl.store(out[nl.ds(m * 128, 128), nl.ds(n * 512, 512)], nl.copy(acc, dtype=out.dtype))
    return out
