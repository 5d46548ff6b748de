"""The logarithm of the sum of exponentials of each row, over chunks of columns."""

# legal: all

import nki
import nki.isa as nisa
import nki.language as nl

NEG = -1e30


@nki.jit
def logsumexp(logits):
    # logits [B, V], online over vocab chunks
    B, V = logits.shape
    CH = 4096
    out = nl.ndarray((B, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for b0 in range(0, B, 128):
        p = min(128, B - b0)
        m = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        s = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=m, value=NEG)
        # bug: nisa.memset(dst=m, value=0.0)
        nisa.memset(dst=s, value=0.0)
        for v0 in range(0, V, CH):
            w = min(CH, V - v0)
            x = nl.ndarray((p, w), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=x, src=logits[b0 : b0 + p, v0 : v0 + w])
            cm = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_reduce(dst=cm, op=nl.maximum, data=x, axis=1)
            nm = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=nm, data1=m, data2=cm, op=nl.maximum)
            d = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=d, data1=m, data2=nm, op=nl.subtract)
            nisa.activation(dst=d, op=nl.exp, data=d)
            nisa.tensor_tensor(dst=s, data1=s, data2=d, op=nl.multiply)  # here
            neg = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_scalar(dst=neg, data=nm, op0=nl.multiply, operand0=-1.0)
            e = nl.ndarray((p, w), dtype=nl.float32, buffer=nl.sbuf)
            nisa.activation(dst=e, op=nl.exp, data=x, bias=neg)
            cs = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_reduce(dst=cs, op=nl.add, data=e, axis=1)
            nisa.tensor_tensor(dst=s, data1=s, data2=cs, op=nl.add)
            m = nm
        ls = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=ls, op=nl.log, data=s)
        nisa.tensor_tensor(dst=ls, data1=ls, data2=m, op=nl.add)
        nisa.dma_copy(dst=out[b0 : b0 + p, :], src=ls)
    return out
