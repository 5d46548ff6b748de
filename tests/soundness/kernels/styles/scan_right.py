# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::scan --arg 'a=f32[D:1..128,1024*n]' --arg 'b=f32[D,1024*n]'
"""Scan as independent authors write it, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def scan(a, b):
    D, L = a.shape
    out = nl.ndarray((D, L), dtype=a.dtype, buffer=nl.shared_hbm)
    h = nl.ndarray((D, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=h, value=0.0)
    for c in nl.static_range(L // 1024):
        s = nl.ds(c * 1024, 1024)
        at, bt = load(a[:, s]), load(b[:, s])
        o = nl.ndarray((D, 1024), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor_scan(dst=o, data0=at, data1=bt, initial=h, op0=nl.multiply, op1=nl.add)
        nisa.tensor_copy(dst=h, src=o[:, 1023:1024])
        nisa.dma_copy(dst=out[:, s], src=o)
    return out
