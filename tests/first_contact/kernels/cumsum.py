"""Running sums along rows of any number: blocks of 128 rows with a short last one, chunks of the free dimension."""

# legal: cols % 512 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def cumsum(x):
    rows, cols = x.shape
    assert cols % 512 == 0
    out = nl.ndarray((rows, cols), dtype=x.dtype, buffer=nl.shared_hbm)
    for block in range((rows + 127) // 128):
        first = block * 128
        count = min(128, rows - first)
        ones = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=ones, value=1.0)
        last = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=last, value=0.0)
        for c in range(cols // 512):
            data = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            # bug: nisa.dma_copy(dst=data[0:count, :], src=x[first : first + 128, c * 512 : (c + 1) * 512])
            nisa.dma_copy(dst=data[0:count, :], src=x[first : first + count, c * 512 : (c + 1) * 512])
            sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor_scan(
                dst=sums[0:count, :],
                data0=ones[0:count, :],
                data1=data[0:count, :],
                initial=last[0:count, :],
                op0=nl.multiply,
                op1=nl.add,
            )
            nisa.tensor_copy(dst=last[0:count, :], src=sums[0:count, 511:512])
            nisa.dma_copy(dst=out[first : first + count, c * 512 : (c + 1) * 512], src=sums[0:count, :])
    return out
