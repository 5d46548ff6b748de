# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::block_of_rank --arg 'x=f32[R,C]' --where 'R >= 131' --where 'C <= 2048'
import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl


@nki.jit
def block_of_rank(x):
    """The rows from that of a rank on: ranks of a group of four are 0 to 3."""
    group = ncc.ReplicaGroup([[0, 1, 2, 3]])
    rank = ncc.collective_permute_implicit_current_processing_rank_id(iteration_id=0, replica_group=group)
    tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    width = x.shape[1]
    nisa.dma_copy(dst=tile, src=x.ap(pattern=[[width, 128], [1, width]], offset=0, scalar_offset=rank, indirect_dim=0))
    out = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
