# expect: 1 UNKNOWN
# args: ::k --arg 'a=bf16[P:1..128,F:1..512]'
"""The bytes of a file in a package, by the package's own loader."""
import nki
import nki.isa as nisa
import nki.language as nl

import pk

OFF = int(pk.__loader__.get_data(pk.__path__[0] + "/g.txt"))


def copy(a, off):
    P, F = a.shape
    out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=a[:, off : F + off])
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def k(a):
    return copy(a, OFF)
