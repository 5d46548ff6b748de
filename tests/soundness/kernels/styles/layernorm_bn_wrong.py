# expect: 4 FAILED df.read_unwritten:34
# args: ::ln --arg x=bf16[384,3000] --arg w=f32[3000] --arg b=f32[3000]
"""Layer norm by bn_stats and bn_aggr, current API, ragged last tiles."""
import nki
import nki.isa as nisa
import nki.language as nl

P_MAX = 128
BN_FMAX = nl.tile_size.bn_stats_fmax


def ceil_div(a, b):
    return -(-a // b)


@nki.jit
def ln(x, w, b, eps=1e-5):
    R, H = x.shape
    out = nl.ndarray((R, H), dtype=x.dtype, buffer=nl.shared_hbm)
    wt = nl.ndarray((P_MAX, H), dtype=nl.float32, buffer=nl.sbuf)
    bt = nl.ndarray((P_MAX, H), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=wt, src=w.reshape((1, H)).broadcast(0, P_MAX))
    nisa.dma_copy(dst=bt, src=b.reshape((1, H)).broadcast(0, P_MAX))
    nchunks = ceil_div(H, BN_FMAX)
    for i in range(ceil_div(R, P_MAX)):
        p = min(P_MAX, R - i * P_MAX)
        t = nl.ndarray((P_MAX, H), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[:p, :], src=x[i * P_MAX : i * P_MAX + p, :])
        stats = nl.ndarray((P_MAX, nchunks, 6), dtype=nl.float32, buffer=nl.sbuf)
        for c in range(nchunks):
            w_ = min(BN_FMAX, H - c * BN_FMAX)
            nisa.bn_stats(dst=stats[:p, 0, :], data=t[:p, c * BN_FMAX : c * BN_FMAX + w_])
        mv = nl.ndarray((P_MAX, 2), dtype=nl.float32, buffer=nl.sbuf)
        nisa.bn_aggr(dst=mv[:p, :], data=stats[:p, :, :])
        rstd = nl.ndarray((P_MAX, 1), dtype=nl.float32, buffer=nl.sbuf)
        epst = nl.ndarray((P_MAX, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=epst, value=eps)
        nisa.activation(dst=rstd[:p], op=nl.rsqrt, data=mv[:p, 1:2], bias=epst[:p])
        nisa.tensor_scalar(dst=t[:p], data=t[:p], op0=nl.subtract, operand0=mv[:p, 0:1], op1=nl.multiply, operand1=rstd[:p])
        nisa.tensor_tensor(dst=t[:p], data1=t[:p], data2=wt[:p], op=nl.multiply)
        o = nl.ndarray((P_MAX, H), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=o[:p], data1=t[:p], data2=bt[:p], op=nl.add)
        nisa.dma_copy(dst=out[i * P_MAX : i * P_MAX + p, :], src=o[:p, :])
    return out
