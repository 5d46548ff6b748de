# expect: 1 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,64]' --arg n=n:0..3
"""A truth value is a number wherever one is expected."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, n):
    out, t = (nl.ndarray(x.shape, dtype=x.dtype, buffer=where) for where in (nl.shared_hbm, nl.sbuf))
    nisa.memset(dst=t, value=n > 1)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=n == 2)
    nisa.activation(dst=t, op=nl.exp, data=t, scale=n != 3)
    nisa.dma_copy(dst=out, src=t)
    return out
