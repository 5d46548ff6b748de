"""A feed-forward block: silu(x @ gate) * (x @ up), for at most 128 tokens; x comes transposed."""

# legal: H % 128 == 0, F % 512 == 0, T <= 128, H == H_gate, H == H_up, F == F_up

import nki
import nki.isa as nisa
import nki.language as nl

WIDTH = 512


@nki.jit
def mlp(xT, gate, up):
    H, T = xT.shape
    H_gate, F = gate.shape
    H_up, F_up = up.shape
    assert H == H_gate == H_up and F_up == F, "the weights fit the tokens"
    assert H % 128 == 0 and F % WIDTH == 0, "whole tiles"
    assert T <= 128
    out = nl.ndarray((T, F), dtype=xT.dtype, buffer=nl.shared_hbm)
    for f in range(F // WIDTH):
        gated = nl.ndarray((T, WIDTH), dtype=nl.float32, buffer=nl.psum)
        plain = nl.ndarray((T, WIDTH), dtype=nl.float32, buffer=nl.psum)
        for h in range(H // 128):
            tokens = nl.ndarray((128, T), dtype=xT.dtype, buffer=nl.sbuf)
            w_gate = nl.ndarray((128, WIDTH), dtype=gate.dtype, buffer=nl.sbuf)
            w_up = nl.ndarray((128, WIDTH), dtype=up.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tokens, src=xT[h * 128 : (h + 1) * 128, :])
            nisa.dma_copy(dst=w_gate, src=gate[h * 128 : (h + 1) * 128, f * WIDTH : (f + 1) * WIDTH])
            nisa.dma_copy(dst=w_up, src=up[h * 128 : (h + 1) * 128, f * WIDTH : (f + 1) * WIDTH])
            nisa.nc_matmul(dst=gated, stationary=tokens, moving=w_gate)
            # bug: nisa.nc_matmul(dst=gated, stationary=tokens, moving=w_up)
            nisa.nc_matmul(dst=plain, stationary=tokens, moving=w_up)
        act = nl.ndarray((T, WIDTH), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=act, op=nl.silu, data=gated)
        nisa.tensor_tensor(dst=act, data1=act, data2=plain, op=nl.multiply)  # here
        nisa.dma_copy(dst=out[:, f * WIDTH : (f + 1) * WIDTH], src=act)
    return out
