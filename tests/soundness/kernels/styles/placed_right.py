# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::placed --arg 'x=f32[128*n,512]'
"""Placed as independent authors write it, current API."""

from functools import reduce

import nki
import nki.isa as nisa
import nki.language as nl


P = 128


class Stack:
    """A stack of SBUF addresses."""

    def __init__(self, base=0, limit=180224):
        self.top, self.limit, self.marks = base, limit, []

    def alloc(self, shape, dtype, size):
        n = reduce(lambda a, b: a * b, shape[1:], 1) * size
        n = (n + 31) // 32 * 32
        assert self.top + n <= self.limit, "out of SBUF"
        t = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf, address=(0, self.top))
        self.top += n
        return t

    def __enter__(self):
        self.marks.append(self.top)
        return self

    def __exit__(self, *exc):
        self.top = self.marks.pop()
        return False


@nki.jit
def placed(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    sb = Stack()
    for i in range(x.shape[0] // P):
        with sb:
            a = sb.alloc((P, 512), nl.float32, 4)
            b = sb.alloc((P, 512), nl.float32, 4)
            nisa.dma_copy(dst=a, src=x[i * P : (i + 1) * P, :])
            nisa.activation(dst=b, op=nl.tanh, data=a)
            nisa.dma_copy(dst=out[i * P : (i + 1) * P, :], src=b)
    return out
