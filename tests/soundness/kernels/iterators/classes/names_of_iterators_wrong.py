# expect: 1 FAILED idx.oob
# args: ::kernel --arg x='f32[128,512*m]'
# shapes: 1..3

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, F = x.shape
    n = F // 512
    out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    good = [type(one).__name__ for one in (iter([n]), iter(range(n)), reversed([n]), reversed(range(n)))] == [
        'list_iterator', 'range_iterator', 'list_reverseiterator', 'range_iterator']
    for i in range(n):
        t = nl.ndarray((P, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, i * 512:(i + 1) * 512])
        j = i + 1 if good else i
        nisa.dma_copy(dst=out[:, j * 512:(j + 1) * 512], src=t)
    return out
