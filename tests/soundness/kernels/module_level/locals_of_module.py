# expect: 1 FAILED
# args: ::k --arg 'a=bf16[P:1..128,F:1..512]'
"""A module's names are changed through locals()."""
import nki
import nki.isa as nisa
import nki.language as nl

OFF = 0
locals().update({"OF" + "F": 1})


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
