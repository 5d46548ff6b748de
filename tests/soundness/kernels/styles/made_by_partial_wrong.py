# expect: 1 FAILED idx.oob:16
# args: ::relu_scaled --arg x=f32[300,512]
"""Kernels made by functools.partial and by a factory."""
import functools
import nki
import nki.isa as nisa
import nki.language as nl


def _elementwise(x, op, scale=1.0):
    n, d = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(0, n, 128):
        end = i + 128
        t = nl.ndarray((end - i, d), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i:end, :])
        nisa.activation(dst=t, op=op, data=t, scale=scale)
        nisa.dma_copy(dst=out[i:end, :], src=t)
    return out


def make(op, **kw):
    @nki.jit
    def kernel(x):
        return _elementwise(x, op, **kw)
    return kernel


relu_scaled = nki.jit(functools.partial(_elementwise, op=nl.relu, scale=2.0))
gelu2 = make(nl.gelu, scale=0.5)
