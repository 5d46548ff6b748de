# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::decode --arg q=bf16[8,128] --arg 'kT=bf16[128,512*n]' --arg 'v=bf16[512*n,128]' --arg 'length=i32[1,1] in 1..512*n' --where 'n <= 64'
"""Flash decoding with a running maximum and a length on the device masked by iota and tensor_scalar."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def decode(q, kT, v, length):
    H, D = q.shape
    _, S = kT.shape
    out = nl.ndarray((H, D), dtype=q.dtype, buffer=nl.shared_hbm)
    qT = nl.ndarray((D, H), dtype=q.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(dst=qT, src=q)
    lens = nl.ndarray((H, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=lens, src=length.ap([[0, H], [1, 1]]))
    lenf = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=lenf, src=lens)
    m = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
    l = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
    acc = nl.ndarray((H, D), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=m, value=-30000.0)
    nisa.memset(dst=l, value=0.0)
    nisa.memset(dst=acc, value=0.0)
    for c in range(S // 512):
        kt = nl.ndarray((D, 512), dtype=kT.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=kt, src=kT[:, c * 512 : (c + 1) * 512])
        s = nl.ndarray((H, 512), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=s, stationary=qT, moving=kt)
        pos = nl.ndarray((H, 512), dtype=nl.int32, buffer=nl.sbuf)
        nisa.iota(dst=pos, pattern=[[1, 512]], offset=c * 512, channel_multiplier=0)
        posf = nl.ndarray((H, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=posf, src=pos)
        pen = nl.ndarray((H, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=pen, data=posf, op0=nl.greater_equal, operand0=lenf, op1=nl.multiply, operand1=-30000.0)
        sb = nl.ndarray((H, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.scalar_tensor_tensor(dst=sb, data=s, op0=nl.multiply, operand0=D ** -0.5, op1=nl.add, operand1=pen)
        mj = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=mj, op=nl.maximum, data=sb, axis=1)
        mn = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=mn, data1=m, data2=mj, op=nl.maximum)
        neg = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=neg, data=mn, op0=nl.multiply, operand0=-1.0)
        alpha = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=alpha, op=nl.exp, data=m, bias=neg, scale=1.0)
        p = nl.ndarray((H, 512), dtype=q.dtype, buffer=nl.sbuf)
        rs = nl.ndarray((H, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=p, op=nl.exp, data=sb, bias=neg, reduce_op=nl.add, reduce_res=rs)
        nisa.scalar_tensor_tensor(dst=l, data=l, op0=nl.multiply, operand0=alpha, op1=nl.add, operand1=rs)
        nisa.tensor_copy(dst=m, src=mn)
        o = nl.ndarray((H, D), dtype=nl.float32, buffer=nl.psum)
        for j in range(4):
            pp = nl.ndarray((128, H), dtype=q.dtype, buffer=nl.psum)
            nisa.nc_transpose(dst=pp, data=p[:, j * 128 : (j + 1) * 128])
            pT = nl.ndarray((128, H), dtype=q.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=pT, src=pp)
            vt = nl.ndarray((128, D), dtype=v.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=vt, src=v[c * 512 + j * 128 : c * 512 + (j + 1) * 128, :])
            nisa.nc_matmul(dst=o, stationary=pT, moving=vt)
        nisa.scalar_tensor_tensor(dst=acc, data=acc, op0=nl.multiply, operand0=alpha, op1=nl.add, operand1=o)
    nisa.reciprocal(dst=l, data=l)
    ob = nl.ndarray((H, D), dtype=q.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=ob, data=acc, op0=nl.multiply, operand0=l)
    nisa.dma_copy(dst=out, src=ob)
    return out
