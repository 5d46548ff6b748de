# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""A counter in a record that is replaced. It moves on too far."""
import dataclasses
from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass(frozen=True)
class State:
    i: int
    off: int = 0


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    c = State(0)
    for i in range(N // 64):
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, c.i * 64 : c.i * 64 + 64])
        nisa.dma_copy(dst=out[:, c.i * 64 : c.i * 64 + 64], src=t)
        c = dataclasses.replace(c, i=c.i + 2)
    return out
