"""Element-wise sum of two tensors on a grid of programs, a tile each (legacy API)."""

# legal: M == 128 * G0, N == 512 * G1, M == M2, N == N2

import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def legacy_add(a, b):
    M, N = a.shape
    M2, N2 = b.shape
    out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    i = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    # bug: j = nl.program_id(1) * 256 + nl.arange(512)[None, :]
    j = nl.program_id(1) * 512 + nl.arange(512)[None, :]
    left = nl.load(a[i, j])
    right = nl.load(b[i, j])
    nl.store(out[i, j], left + right)  # here
    return out
