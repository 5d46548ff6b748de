"""Access patterns by themselves."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def ap_partition_crossing(x):
    """Control: a view of one partition that steps through it as if its elements were partitions.

    Every element it names lies inside the tile, whose 128 elements are all in partition 0; nothing but the step of the
    first pair, which should be the number of elements of a partition, is wrong.
    """
    tile = nl.ndarray((1, 4, 32), dtype=nl.float16, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    view = tile.ap([[1, 128], [0, 1], [0, 1], [0, 1], [0, 1]])
    out = nl.ndarray(view.shape, dtype=nl.float16, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=view)
    return out
