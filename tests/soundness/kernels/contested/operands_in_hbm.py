# expect: 1 SUCCESSFUL nl.operand_on_chip:16
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::sums --arg 'x=f32[128*n,F:1..2048]' --arg 'y=f32[128*n,F]'
"""A function of nl that is given tensors in HBM computes what it says of them: reported of published kernels."""

import nki
import nki.language as nl


@nki.jit
def sums(x, y):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 128):
        rows = slice(i * 128, (i + 1) * 128)
        nl.store(out[rows, :], nl.add(x[rows, :], y[rows, :]))
    return out
