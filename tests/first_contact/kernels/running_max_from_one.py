"""The maximum over blocks of rows: the first is loaded before a loop from 1 on."""

# legal: R % 128 == 0, C <= 512

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def running_max(x):
    R, C = x.shape
    assert R % 128 == 0, "rows come in blocks of 128"
    assert C <= 512
    n_blocks = R // 128
    out = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.shared_hbm)
    best = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=best, src=x[0:128, :])
    # bug: for b in range(1, n_blocks + 1):
    for b in range(1, n_blocks):
        cur = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=cur, src=x[b * 128 : (b + 1) * 128, :])  # here
        nisa.tensor_tensor(dst=best, data1=best, data2=cur, op=nl.maximum)
    nisa.dma_copy(dst=out, src=best)
    return out
