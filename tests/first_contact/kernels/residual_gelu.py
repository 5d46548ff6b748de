"""x + gelu(y + bias) on three-dimensional activations; the bias is one row for all."""

# legal: S <= 128, B == B_, S == S_, H == H_, H == H__

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def residual_gelu(x, y, bias):
    B, S, H = x.shape
    B_, S_, H_ = y.shape
    (H__,) = bias.shape
    assert y.shape == x.shape
    assert H__ == H
    assert S <= nl.tile_size.pmax
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((S, H), dtype=nl.float32, buffer=nl.sbuf)
    for s in range(S):
        # bug: nisa.dma_copy(dst=rows[s + 1 : s + 2, :], src=bias.reshape((1, H)))
        nisa.dma_copy(dst=rows[s : s + 1, :], src=bias.reshape((1, H)))
    for b in range(B):
        base = nl.ndarray((S, H), dtype=nl.float32, buffer=nl.sbuf)
        more = nl.ndarray((S, H), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=base, src=x[b, :, :])
        nisa.dma_copy(dst=more, src=y[b, :, :])
        nisa.tensor_tensor(dst=more, data1=more, data2=rows, op=nl.add)
        nisa.activation(dst=more, op=nl.gelu, data=more)
        nisa.tensor_tensor(dst=base, data1=base, data2=more, op=nl.add)
        nisa.dma_copy(dst=out[b, :, :], src=base)
    return out
