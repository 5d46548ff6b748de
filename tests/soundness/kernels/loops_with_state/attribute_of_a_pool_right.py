# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R,C:1..4096]'
# shapes: R=1..300:99 C=1..8
"""An attribute that an object has from the first iteration on."""

import nki
import nki.isa as nisa
import nki.language as nl


class Last:
    pass


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    last = Last()
    for part in range((rows + 127) // 128):
        count = min(128, rows - part * 128)
        assert hasattr(last, "tile") == (part > 0)
        last.tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=last.tile[:count], src=x[part * 128 : part * 128 + count, :])
        second = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=second[:count], src=last.tile[:count])
        nisa.dma_copy(dst=out[part * 128 : part * 128 + count, :], src=second[:count])
    return out
