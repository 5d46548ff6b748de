"""Each row plus the two below it."""

# legal: R >= 3

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def sum_of_three_rows(x):
    """x: [R, C] -> [R - 2, C]"""
    R, C = x.shape
    out = nl.ndarray((R - 2, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for top in range(0, R - 2, 128):
        height = min(128, R - 2 - top)
        acc = nl.zeros((height, C), dtype=nl.float32, buffer=nl.sbuf)
        for shift in range(3):
            # bug: rows = slice(top + shift, top + shift + 128)
            rows = slice(top + shift, top + shift + height)
            t = nl.ndarray((height, C), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=x[rows, :])  # here
            nisa.tensor_tensor(dst=acc, data1=acc, data2=t, op=nl.add)
        nisa.dma_copy(dst=out[top : top + height, :], src=acc)
    return out
