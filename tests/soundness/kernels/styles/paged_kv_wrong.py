# expect: 1 FAILED dma_copy.oob:28
# args: ::paged --arg q=bf16[4,8,128] --arg kc=bf16[64,128,128] --arg vc=bf16[64,128,128] --arg 'bt=i32[4,4] in 0..63'
"""Decode attention over a paged cache: block ids are loaded into registers' place by scalar_offset."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def paged(q, kc, vc, bt):
    B, H, D = q.shape
    NB, BS, _ = kc.shape
    MB = bt.shape[1]
    out = nl.ndarray((B, H, D), dtype=q.dtype, buffer=nl.shared_hbm)
    for b in range(B):
        qt = nl.ndarray((H, D), dtype=q.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=qt, src=q[b])
        qp = nl.ndarray((D, H), dtype=q.dtype, buffer=nl.psum)
        nisa.nc_transpose(dst=qp, data=qt)
        qT = nl.ndarray((D, H), dtype=q.dtype, buffer=nl.sbuf)
        nisa.activation(dst=qT, op=nl.copy, data=qp, scale=D ** -0.5)
        ids = nl.ndarray((1, MB), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=ids, src=bt[b : b + 1, :])
        sc = nl.ndarray((H, MB * BS), dtype=nl.float32, buffer=nl.sbuf)
        vt = nl.ndarray((BS, MB, D), dtype=vc.dtype, buffer=nl.sbuf)
        for j in range(MB):
            kb = nl.ndarray((BS, D), dtype=kc.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=kb, src=kc.ap(pattern=[[128, 128], [1, 128]], offset=128, scalar_offset=ids[0:1, j : j + 1], indirect_dim=0))
            nisa.dma_copy(dst=vt[:, j, :], src=vc.ap(pattern=[[128, 128], [1, 128]], offset=0, scalar_offset=ids[0:1, j : j + 1], indirect_dim=0))
            kp = nl.ndarray((D, BS), dtype=kc.dtype, buffer=nl.psum)
            nisa.nc_transpose(dst=kp, data=kb)
            kT = nl.ndarray((D, BS), dtype=kc.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=kT, src=kp)
            s = nl.ndarray((H, BS), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=s, stationary=qT, moving=kT)
            nisa.tensor_copy(dst=sc[:, j * BS : (j + 1) * BS], src=s)
        mx = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=mx, op=nl.maximum, data=sc, axis=1, negate=True)
        sm = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
        p = nl.ndarray((H, MB * BS), dtype=q.dtype, buffer=nl.sbuf)
        nisa.activation_reduce(dst=p, op=nl.exp, data=sc, bias=mx, reduce_op=nl.add, reduce_res=sm)
        nisa.reciprocal(dst=sm, data=sm)
        o = nl.ndarray((H, D), dtype=nl.float32, buffer=nl.psum)
        for j in range(MB):
            pp = nl.ndarray((BS, H), dtype=q.dtype, buffer=nl.psum)
            nisa.nc_transpose(dst=pp, data=p[:, j * BS : (j + 1) * BS])
            pT = nl.ndarray((BS, H), dtype=q.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=pT, src=pp)
            nisa.nc_matmul(dst=o, stationary=pT, moving=vt[:, j, :])
        ob = nl.ndarray((H, D), dtype=q.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=ob, data=o, op0=nl.multiply, operand0=sm)
        nisa.dma_copy(dst=out[b], src=ob)
    return out
