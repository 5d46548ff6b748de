"""Pointwise convolution: the weights of a block of outputs are kept in a list of tiles."""

# legal: C % 128 == 0, O % 128 == 0, wC == C, L % 512 == 0

from functools import partial

import nki
import nki.isa as nisa
import nki.language as nl

P, F = 128, 512
sbuf = partial(nl.ndarray, buffer=nl.sbuf)
psum = partial(nl.ndarray, buffer=nl.psum)


@nki.jit
def pointwise(x, w):
    """A 1x1 convolution. x: [C, L], w: [wC, O] -> [O, L]"""
    C, L = x.shape
    wC, O = w.shape
    for what, size, step in (("C", C, P), ("O", O, P), ("L", L, F)):
        assert size % step == 0, f"{what} = {size} is no multiple of {step}"
    assert wC == C
    y = nl.ndarray((O, L), dtype=x.dtype, buffer=nl.shared_hbm)
    for o in range(O // P):
        weights = []
        for c in range(C // P):
            wt = sbuf((P, P), dtype=w.dtype)
            nisa.dma_copy(dst=wt, src=w[nl.ds(c * P, P), nl.ds(o * P, P)])
            weights.append(wt)
        for l in range(L // F):
            acc = psum((P, F), dtype=nl.float32)
            for c in range(C // P):
                xt = sbuf((P, F), dtype=x.dtype)
                nisa.dma_copy(dst=xt, src=x[nl.ds(c * P, P), nl.ds(l * F, F)])
                # bug: nisa.nc_matmul(dst=acc, stationary=weights[c + 1], moving=xt)
                nisa.nc_matmul(dst=acc, stationary=weights[c], moving=xt)
            res = sbuf((P, F), dtype=x.dtype)
            nisa.tensor_copy(dst=res, src=acc)
            nisa.dma_copy(dst=y[nl.ds(o * P, P), nl.ds(l * F, F)], src=res)
    return y
