"""A linear recurrence along the free dimension, in chunks that hand their last state on."""

# legal: P <= 128, L % 256 == 0, P == P_, L == L_

import nki
import nki.isa as nisa
import nki.language as nl

CHUNK = 256


@nki.jit
def scan(decay, x):
    P, L = decay.shape
    P_, L_ = x.shape
    assert P == P_ and L == L_
    assert P <= 128
    out = nl.ndarray((P, L), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    # bug: pass
    nisa.memset(dst=state, value=0.0)
    for c in range(L // CHUNK):
        a = nl.ndarray((P, CHUNK), dtype=nl.float32, buffer=nl.sbuf)
        b = nl.ndarray((P, CHUNK), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=decay[:, c * CHUNK : (c + 1) * CHUNK])
        nisa.dma_copy(dst=b, src=x[:, c * CHUNK : (c + 1) * CHUNK])
        y = nl.ndarray((P, CHUNK), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor_scan(dst=y, data0=a, data1=b, initial=state, op0=nl.multiply, op1=nl.add)  # here
        nisa.tensor_copy(dst=state, src=y[:, CHUNK - 1 : CHUNK])
        nisa.dma_copy(dst=out[:, c * CHUNK : (c + 1) * CHUNK], src=y)
    return out
