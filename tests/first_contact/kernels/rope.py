"""Rotary embedding: both halves of each head are turned by tables of cosines and sines."""

# legal: S <= 128, D == 2 * half, S == S_, S == S__, half == half_

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rope(x, cos, sin):
    S, D = x.shape
    S_, half = cos.shape
    S__, half_ = sin.shape
    assert S <= 128
    assert 2 * half == D and S == S_
    assert sin.shape == cos.shape
    out = nl.ndarray((S, D), dtype=x.dtype, buffer=nl.shared_hbm)
    q = nl.ndarray((S, D), dtype=nl.float32, buffer=nl.sbuf)
    c = nl.ndarray((S, half), dtype=nl.float32, buffer=nl.sbuf)
    s = nl.ndarray((S, half), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=q, src=x)
    nisa.dma_copy(dst=c, src=cos)
    nisa.dma_copy(dst=s, src=sin)
    turned = nl.ndarray((S, D), dtype=nl.float32, buffer=nl.sbuf)
    part = nl.ndarray((S, half), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=turned[:, 0:half], data1=q[:, 0:half], data2=c, op=nl.multiply)
    nisa.tensor_tensor(dst=part, data1=q[:, half:D], data2=s, op=nl.multiply)
    nisa.tensor_tensor(dst=turned[:, 0:half], data1=turned[:, 0:half], data2=part, op=nl.subtract)
    # bug: nisa.tensor_tensor(dst=turned[:, half:D], data1=q[:, half : D + 1], data2=c, op=nl.multiply)
    nisa.tensor_tensor(dst=turned[:, half:D], data1=q[:, half:D], data2=c, op=nl.multiply)
    nisa.tensor_tensor(dst=part, data1=q[:, 0:half], data2=s, op=nl.multiply)
    nisa.tensor_tensor(dst=turned[:, half:D], data1=turned[:, half:D], data2=part, op=nl.add)
    nisa.dma_copy(dst=out, src=turned)
    return out
