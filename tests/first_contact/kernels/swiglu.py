"""silu(gate) * up for gate and up side by side in one tensor."""

# legal: T % 128 == 0, W % 2 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def swiglu(x):
    T, W = x.shape
    half = W // 2
    out = nl.ndarray((T, half), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range(T // 128):
        gate = nl.ndarray((128, half), dtype=nl.float32, buffer=nl.sbuf)
        up = nl.ndarray((128, half), dtype=nl.float32, buffer=nl.sbuf)
        rows = slice(t * 128, (t + 1) * 128)
        nisa.dma_copy(dst=gate, src=x[rows, 0:half])
        # bug: nisa.dma_copy(dst=up, src=x[rows, half + 1 : 2 * half + 1])
        nisa.dma_copy(dst=up, src=x[rows, half : 2 * half])
        nisa.activation(dst=gate, op=nl.silu, data=gate)
        nisa.tensor_tensor(dst=up, data1=up, data2=gate, op=nl.multiply)
        nisa.dma_copy(dst=out[rows, :], src=up)
    return out
