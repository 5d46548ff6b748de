# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::moe --arg x=bf16[128*t,256] --arg gate=f32[256,E] --arg w1=bf16[E,256,512] --arg w2=bf16[E,512,256] --where 'E <= 64 and t <= 32'
"""A dense mixture of experts with router softmax."""
import nki
import nki.isa as nisa
import nki.language as nl

P = 128


def _t(tile, dtype=None):
    """[P, F<=128] -> [F, P]"""
    p, f = tile.shape
    ps = nl.ndarray((f, p), dtype=tile.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=ps, data=tile)
    sb = nl.ndarray((f, p), dtype=dtype or tile.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=sb, src=ps)
    return sb


@nki.jit
def moe(x, gate, w1, w2):
    T, H = x.shape
    E, _, F = w1.shape
    out = nl.ndarray((T, H), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range(T // P):
        xt = nl.ndarray((P, H), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=xt, src=x[t * P : (t + 1) * P])
        xT = [_t(xt[:, h * P : (h + 1) * P]) for h in range(H // P)]
        logits = nl.ndarray((P, E), dtype=nl.float32, buffer=nl.psum)
        for h in range(H // P):
            g = nl.ndarray((P, E), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=g, src=gate[h * P : (h + 1) * P])
            gb = nl.ndarray((P, E), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=gb, src=g)
            nisa.nc_matmul(dst=logits, stationary=xT[h], moving=gb)
        mx = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=mx, op=nl.maximum, data=logits, axis=1, negate=True)
        rw = nl.ndarray((P, E), dtype=nl.float32, buffer=nl.sbuf)
        sm = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=rw, op=nl.exp, data=logits, reduce_op=nl.add, reduce_res=sm, bias=mx)
        nisa.reciprocal(dst=sm, data=sm)
        nisa.tensor_scalar(dst=rw, data=rw, op0=nl.multiply, operand0=sm)
        y = nl.ndarray((P, H), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=y, value=0.0)
        for e in range(E):
            hid = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.psum)
            for h in range(H // P):
                wt = nl.ndarray((P, F), dtype=w1.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=wt, src=w1[e, h * P : (h + 1) * P, :])
                nisa.nc_matmul(dst=hid, stationary=xT[h], moving=wt)
            act = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.sbuf)
            nisa.activation(dst=act, op=nl.silu, data=hid)
            o = nl.ndarray((P, H), dtype=nl.float32, buffer=nl.psum)
            for f in range(F // P):
                wt = nl.ndarray((P, H), dtype=w2.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=wt, src=w2[e, f * P : (f + 1) * P, :])
                nisa.nc_matmul(dst=o, stationary=_t(act[:, f * P : (f + 1) * P]), moving=wt)
            nisa.scalar_tensor_tensor(dst=y, data=o, op0=nl.multiply, operand0=rw[:, e : e + 1], op1=nl.add, operand1=y)
        yo = nl.ndarray((P, H), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=yo, src=y)
        nisa.dma_copy(dst=out[t * P : (t + 1) * P], src=yo)
    return out
