"""Two tensors side by side."""

# legal: P <= 128, P == P2

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def concat(a, b):
    P, A = a.shape
    P2, B = b.shape
    out = nl.ndarray((P, A + B), dtype=a.dtype, buffer=nl.shared_hbm)
    both = nl.ndarray((P, A + B), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=both[:, 0:A], src=a)
    # bug: nisa.dma_copy(dst=both[:, A + 1 : A + B], src=b[:, 1:B])
    nisa.dma_copy(dst=both[:, A : A + B], src=b)
    nisa.dma_copy(dst=out, src=both)  # here
    return out
