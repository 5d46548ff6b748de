# expect: 1 FAILED
# args: ::k --arg 'a=bf16[P:1..128,F:1..512]'
"""A function that the module calls binds a name through globals()."""
import nki
import nki.isa as nisa
import nki.language as nl

OFF = 0


def configure(**values):
    for name, value in values.items():
        globals()[name.upper()] = value


configure(off=1)


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
