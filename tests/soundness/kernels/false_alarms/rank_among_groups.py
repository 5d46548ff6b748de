# expect: 1 UNKNOWN
# args: ::row_of_rank --arg 'x=f32[4,C]' --where 'C <= 2048'
import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl


@nki.jit
def row_of_rank(x):
    """Four rows, and eight ranks in two groups: no page says whether ranks are counted in their group."""
    group = ncc.ReplicaGroup([[0, 1, 2, 3], [4, 5, 6, 7]])
    rank = ncc.collective_permute_implicit_current_processing_rank_id(iteration_id=0, replica_group=group)
    width = x.shape[1]
    tile = nl.ndarray((1, width), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x.ap(pattern=[[width, 1], [1, width]], offset=0, scalar_offset=rank, indirect_dim=0))
    out = nl.ndarray((1, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
