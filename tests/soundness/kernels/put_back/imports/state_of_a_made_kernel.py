# expect: 1 SUCCESSFUL
# args: ::make(3) --arg 'a=bf16[P:1..128,F:1..512]'
"""What only the kernel itself holds, which a function of the module has made, is put back on the next path."""
import nki
import nki.isa as nisa
import nki.language as nl


def make(n):
    count = [0]

    @nki.jit
    def kernel(a):
        count[0] += 1
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        if a.shape[1] > 7:
            tile = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
        else:
            tile = nl.ndarray((128 // count[0], a.shape[1]), dtype=a.dtype, buffer=nl.sbuf)[0 : a.shape[0]]
        nisa.dma_copy(dst=tile, src=a)
        nisa.dma_copy(dst=out, src=tile)
        return out

    return kernel
