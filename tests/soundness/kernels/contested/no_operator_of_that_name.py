# expect: 1 FAILED isa.alu_op:15
# args: ::kernel --arg 'x=f32[128,512]'
"""No such operation."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    r, c = x.shape
    out = nl.ndarray((r, c), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((r, c), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_tensor(dst=t, data1=t, data2=t, op='addd')
    nisa.dma_copy(dst=out, src=t)
    return out
