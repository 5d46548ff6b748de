# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""A counter in a record that is replaced. It leaves the tile of sums in the eighteenth round."""
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
    acc = nl.ndarray((P, 17), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(acc, 0.0)
    c = State(0)
    for i in range(N // 64):
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, i * 64 : i * 64 + 64])
        nisa.dma_copy(dst=out[:, i * 64 : i * 64 + 64], src=t)
        nisa.tensor_reduce(dst=acc[:, (c.i * 64) // 64 : (c.i * 64) // 64 + 1], op=nl.add, data=t, axis=1)
        c = dataclasses.replace(c, i=c.i + 1)
    return out
