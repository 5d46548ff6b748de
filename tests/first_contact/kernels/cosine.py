"""The cosine of the angle between rows of two tensors."""

# legal: N == y0, D == y1

import nki
import nki.isa as nisa
import nki.language as nl


def cdiv(n, d):
    return -(-n // d)


@nki.jit
def cosine_similarity(x, y):
    N, D = x.shape
    assert (N, D) == y.shape, "one row of y for each of x"
    out = nl.ndarray((N, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    P = nl.tile_size.pmax
    for t in range(cdiv(N, P)):
        # bug: lo, hi = t * P, (t + 1) * P
        lo, hi = t * P, min((t + 1) * P, N)
        n = hi - lo
        a = nl.ndarray((n, D), dtype=nl.float32, buffer=nl.sbuf)
        b = nl.ndarray((n, D), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=x[lo:hi, :])  # here
        nisa.dma_copy(dst=b, src=y[lo:hi, :])
        sums = []
        for left, right in ((a, b), (a, a), (b, b)):
            prod = nl.ndarray((n, D), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=prod, data1=left, data2=right, op=nl.multiply)
            s = nl.ndarray((n, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_reduce(dst=s, op=nl.add, data=prod, axis=1)
            sums.append(s)
        dot, xx, yy = sums
        nisa.tensor_tensor(dst=xx, data1=xx, data2=yy, op=nl.multiply)
        nisa.activation(dst=xx, op=nl.rsqrt, data=xx)
        nisa.tensor_tensor(dst=dot, data1=dot, data2=xx, op=nl.multiply)
        nisa.dma_copy(dst=out[lo:hi, :], src=dot)
    return out
