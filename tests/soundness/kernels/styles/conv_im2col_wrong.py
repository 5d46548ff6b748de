# expect: 1 FAILED idx.oob:25
# args: ::conv --arg x=bf16[2,64,18,18] --arg w=bf16[64,3,3,128]
"""3x3 convolution as nine accumulated matmuls for each output row."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def conv(x, w):
    B, C, H, W = x.shape
    C_, R, S, K = w.shape
    OH, OW = H - R + 1, W - S + 1
    assert C == C_ and C <= 128 and K <= 128 and OW <= 512
    out = nl.ndarray((B, K, OH, OW), dtype=x.dtype, buffer=nl.shared_hbm)
    wt = nl.ndarray((C, R, S, K), dtype=w.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=wt, src=w)
    for b in range(B):
        img = nl.ndarray((C, H, W), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=img, src=x[b])
        for h in range(OH):
            acc = nl.ndarray((K, OW), dtype=nl.float32, buffer=nl.psum)
            for r in range(R):
                for s in range(S):
                    nisa.nc_matmul(dst=acc, stationary=wt[:, r, s, :], moving=img[:, h + r + 1, s : s + OW])
            row = nl.ndarray((K, OW), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=row, src=acc, engine=nisa.engine.scalar)
            nisa.dma_copy(dst=out[b, :, h, :], src=row)
    return out
