"""A sum in f32 of two inputs of any dtype, cast by the copies that load them."""

# legal: P <= 128, F <= 512, P*F == yP*yF

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def cast_add(x, y):
    """x: [P, F], y: [yP, yF]"""
    P, F = x.shape
    yP, yF = y.shape
    assert P <= 128 and F <= 512
    z = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.shared_hbm)
    a = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
    b = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=y)
    nisa.tensor_tensor(dst=a, data1=a, data2=b, op=nl.add)
    # bug: nisa.tensor_copy(dst=z, src=a)
    nisa.dma_copy(dst=z, src=a)
    return z
