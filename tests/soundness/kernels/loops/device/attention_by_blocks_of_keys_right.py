# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# shapes: none
# args: ::kernel --arg 'q=bf16[d:1..128,sq:1..128]' --arg 'key=bf16[d,128*blocks]' --arg 'value=bf16[128*blocks,dv:1..512]'
"""Attention over blocks of keys: products and a transpose in PSUM in each round, the maximum and the sum corrected."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(q, key, value):
    d, sq = q.shape
    d2, sk = key.shape
    sk2, dv = value.shape
    assert d == d2 and sk == sk2 and d <= 128 and sq <= 128 and dv <= 512 and sk % 128 == 0
    out = nl.ndarray((sq, dv), dtype=nl.float32, buffer=nl.shared_hbm)
    qt = nl.ndarray((d, sq), dtype=q.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=qt, src=q)
    m = nl.ndarray((sq, 1), dtype=nl.float32, buffer=nl.sbuf)
    l = nl.ndarray((sq, 1), dtype=nl.float32, buffer=nl.sbuf)
    acc = nl.ndarray((sq, dv), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=m, value=-1e30)
    nisa.memset(dst=l, value=0.0)
    nisa.memset(dst=acc, value=0.0)

    def step(j):
        kt = nl.ndarray((d, 128), dtype=key.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=kt, src=key.ap(pattern=[[sk, d], [1, 128]], offset=0, scalar_offset=j, indirect_dim=1))
        scores = nl.ndarray((sq, 128), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=scores, stationary=qt, moving=kt)
        s = nl.ndarray((sq, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=s, src=scores)
        mb = nl.ndarray((sq, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=mb, op=nl.maximum, data=s, axis=1)
        nisa.tensor_tensor(dst=mb, data1=mb, data2=m, op=nl.maximum)
        scale = nl.ndarray((sq, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=scale, data1=m, data2=mb, op=nl.subtract)
        nisa.activation(dst=scale, op=nl.exp, data=scale)
        p = nl.ndarray((sq, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
        lb = nl.ndarray((sq, 1), dtype=nl.float32, buffer=nl.sbuf)
        neg = nl.ndarray((sq, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=neg, data=mb, op0=nl.multiply, operand0=-1.0)
        nisa.activation(dst=s, op=nl.exp, data=s, bias=neg, scale=1.0)
        nisa.tensor_reduce(dst=lb, op=nl.add, data=s, axis=1)
        nisa.tensor_copy(dst=p, src=s)
        nisa.tensor_tensor(dst=l, data1=l, data2=scale, op=nl.multiply)
        nisa.tensor_tensor(dst=l, data1=l, data2=lb, op=nl.add)
        pt_psum = nl.ndarray((128, sq), dtype=nl.bfloat16, buffer=nl.psum)
        nisa.nc_transpose(dst=pt_psum, data=p)
        pt = nl.ndarray((128, sq), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.tensor_copy(dst=pt, src=pt_psum)
        vt = nl.ndarray((128, dv), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.dma_copy(dst=vt, src=value.ap(pattern=[[dv, 128], [1, dv]], offset=0, scalar_offset=j, indirect_dim=0))
        o = nl.ndarray((sq, dv), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=o, stationary=pt, moving=vt)
        nisa.tensor_scalar(dst=acc, data=acc, op0=nl.multiply, operand0=scale)
        nisa.tensor_tensor(dst=acc, data1=acc, data2=o, op=nl.add)
        nisa.tensor_copy(dst=m, src=mb)

    nl.fori_loop(0, sk, step, 128)
    inv = nl.ndarray((sq, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.reciprocal(dst=inv, data=l)
    nisa.tensor_scalar(dst=acc, data=acc, op0=nl.multiply, operand0=inv)
    nisa.dma_copy(dst=out, src=acc)
    return out
