"""The sum over experts, weighted by their gates."""

# legal: E == tE, T == wT, T % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def mix(experts, gates):
    """experts: [E, T, D], gates: [T, E] -> the sum over experts, weighted: [T, D]."""
    E, T, D = experts.shape
    wT, tE = gates.shape
    out = nl.ndarray((T, D), dtype=experts.dtype, buffer=nl.shared_hbm)
    for t0 in range(0, T, 128):
        acc = nl.ndarray((128, D), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=acc, value=0.0)
        g = nl.ndarray((128, E), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=g, src=gates[t0 : t0 + 128, :])
        for e in range(E):
            x = nl.ndarray((128, D), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=x, src=experts[e, t0 : t0 + 128, :])
            # bug: nisa.scalar_tensor_tensor(acc, x, nl.multiply, g[:, e + 1 : e + 2], nl.add, acc)
            nisa.scalar_tensor_tensor(acc, x, nl.multiply, g[:, e : e + 1], nl.add, acc)
        nisa.dma_copy(dst=out[t0 : t0 + 128, :], src=acc)
    return out
