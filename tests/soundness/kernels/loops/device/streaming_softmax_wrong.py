# expect: 4 FAILED df.read_unwritten:26
# args: ::kernel --arg 'x=f32[128,512*n]'
"""The maximum has no beginning: the first round reads what nobody has written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    result = nl.ndarray((rows, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    most = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    block = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.sbuf)
    larger = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    shrunk = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    raised = nl.ndarray((rows, 512), dtype=nl.float32, buffer=nl.sbuf)
    added = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(total, 0.0)

    def body(j):
        nisa.dma_copy(dst=block, src=x.ap(pattern=[[columns, rows], [1, 512]], scalar_offset=j, indirect_dim=1))
        nisa.tensor_reduce(dst=larger, op=nl.maximum, data=block, axis=1)
        nisa.tensor_tensor(dst=larger, data1=larger, data2=most, op=nl.maximum)
        nisa.tensor_tensor(dst=shrunk, data1=most, data2=larger, op=nl.subtract)
        nisa.activation(dst=shrunk, op=nl.exp, data=shrunk)
        nisa.tensor_tensor(dst=total, data1=total, data2=shrunk, op=nl.multiply)
        nisa.tensor_scalar(dst=raised, data=block, op0=nl.subtract, operand0=larger)
        nisa.activation(dst=raised, op=nl.exp, data=raised)
        nisa.tensor_reduce(dst=added, op=nl.add, data=raised, axis=1)
        nisa.tensor_tensor(dst=total, data1=total, data2=added, op=nl.add)
        nisa.tensor_copy(dst=most, src=larger)

    nl.fori_loop(0, columns, body, 512)
    nisa.dma_copy(dst=result, src=total)
    return result
