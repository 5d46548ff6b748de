"""SiLU of the half of the rows that a core is given."""

# legal: M % 256 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def silu_spmd(x):
    # launch: silu_spmd[2](x); each core takes every other block of 128 rows
    M, N = x.shape
    core, cores = nl.program_id(0), nl.num_programs(0)
    assert M % (128 * cores) == 0
    y = nl.ndarray((M, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(M // (128 * cores)):
        # bug: rows = nl.ds((i + core) * 128, 128)
        rows = nl.ds((i * cores + core) * 128, 128)
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[rows, :])
        nisa.activation(dst=t, op=nl.silu, data=t)
        nisa.dma_copy(dst=y[rows, :], src=t)  # here
    return y
