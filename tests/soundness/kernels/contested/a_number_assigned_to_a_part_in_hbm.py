# expect: 4 FAILED df.output_written
# args: ::zeros --arg 'x=f32[P:1..128,F:2..2048]'
"""What is assigned is a part of the result; the last column is written by nothing."""

import nki
import nki.language as nl


@nki.jit
def zeros(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    out[:, 0 : x.shape[1] - 1] = 0.0
    return out
