# expect: 1 FAILED kernel.exception:16
# args: ::k --arg x=f32[1024,512]
"""An accumulator that begins with nothing."""
import nki
import nki.isa as nisa
import nki.language as nl


def load(src):
    t = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


def add(a, b):
    c = nl.ndarray(a.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=c, data1=a, data2=b, op=nl.add)
    return c


@nki.jit
def k(x):
    out = nl.ndarray((128, x.shape[1]), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = None
    for i in range(x.shape[0] // 128):
        t = load(x[i * 128 : (i + 1) * 128])
        acc = add(acc, t)
    nisa.dma_copy(dst=out, src=acc)
    return out
