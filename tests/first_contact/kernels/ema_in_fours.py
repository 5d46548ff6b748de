"""A moving average, four columns at a time, each of which needs the one before."""

# legal: B <= 128, T % 4 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def ema(x, alpha=0.9):
    """Exponential moving average along time, x: [B, T], four steps at a time."""
    B, T = x.shape
    assert B <= 128 and T % 4 == 0
    y = nl.ndarray((B, T), dtype=x.dtype, buffer=nl.shared_hbm)
    state = nl.ndarray((B, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=state, value=0.0)
    for t in range(0, T, 4):
        step = nl.ndarray((B, 4), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=step, src=x[:, t : t + 4])
        for i in range(4):
            now = step[:, i : i + 1]
            nisa.tensor_scalar(dst=now, data=now, op0=nl.multiply, operand0=1.0 - alpha)
            nisa.scalar_tensor_tensor(dst=now, data=state, op0=nl.multiply, operand0=alpha, op1=nl.add, operand1=now)
            nisa.tensor_copy(dst=state, src=now)
        # bug: nisa.dma_copy(dst=y[:, t : t + 3], src=step[:, 0:3])
        nisa.dma_copy(dst=y[:, t : t + 4], src=step)
    return y
