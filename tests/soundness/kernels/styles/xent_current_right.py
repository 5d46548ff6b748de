# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::xent --arg 'logits=f32[B:1..128,V]' --arg 'labels=i32[B,1] in 0..V-1' --where 'V <= 4000'
"""Xent as independent authors write it, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def xent(logits, labels):
    B, V = logits.shape
    loss = nl.ndarray((B, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    t, lab = load(logits), load(labels)
    pos = nl.ndarray((B, V), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=pos, pattern=[[1, V]], offset=0, channel_multiplier=0)
    labf = nl.ndarray((B, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=labf, src=lab)
    oh = nl.ndarray((B, V), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=oh, data=pos, op0=nl.equal, operand0=labf)
    nisa.tensor_tensor(dst=oh, data1=oh, data2=t, op=nl.multiply)
    pick = nl.ndarray((B, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=pick, op=nl.add, data=oh, axis=1)
    nm = nl.ndarray((B, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=nm, op=nl.maximum, data=t, axis=1, negate=True)
    e = nl.ndarray((B, V), dtype=nl.float32, buffer=nl.sbuf)
    s = nl.ndarray((B, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation_reduce(dst=e, op=nl.exp, data=t, bias=nm, scale=1.0, reduce_op=nl.add, reduce_res=s)
    nisa.activation(dst=s, op=nl.log, data=s)
    nisa.tensor_tensor(dst=s, data1=s, data2=nm, op=nl.subtract)
    nisa.tensor_tensor(dst=s, data1=s, data2=pick, op=nl.subtract)
    nisa.dma_copy(dst=loss, src=s)
    return loss
