"""Each program of a launch copies its share of the rows."""

# legal: R % 2 == 0
# bounded

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def sharded_copy(x):
    R, C = x.shape
    G = nl.num_programs(0)
    mine = nl.program_id(0)
    share = R // G
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    # bug: nisa.dma_copy(dst=out[0:share, :], src=x[mine * share : (mine + 1) * share, :])
    nisa.dma_copy(dst=out[mine * share : (mine + 1) * share, :], src=x[mine * share : (mine + 1) * share, :])
    return out
