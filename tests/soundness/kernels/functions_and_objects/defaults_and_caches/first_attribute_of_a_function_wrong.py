# expect: 1 FAILED|UNKNOWN idx.oob:22
# args: ::kernel --arg 'x=bf16[128,C]' --where 'C % 512 == 0'
"""A helper without attributes gets its first one in a loop, by its own dictionary: the second iteration finds it."""
import nki
import nki.isa as nisa
import nki.language as nl


def helper():
    return 0


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[1] // 512):
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        shift = helper.__dict__.get("seen", 0)
        helper.__dict__["seen"] = 1
        begin = i * 512 + shift
        nisa.dma_copy(dst=tile, src=x[:, i * 512 : i * 512 + 512])
        nisa.dma_copy(dst=out[:, begin : begin + 512], src=tile)
    return out
