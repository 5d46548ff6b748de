"""Sums over rows by a matmul with a column of ones."""

# legal: R % 128 == 0, C <= 512

import nki
import nki.isa as nisa
import nki.language as nl


def _load_rows(source, block, width):
    """A tile of 128 rows."""
    tile = nl.ndarray((128, width), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[block * 128 : (block + 1) * 128, :])
    return tile


@nki.jit
def ones_matmul_sum(x):
    R, C = x.shape
    if R % 128 != 0 or C > 512:
        raise ValueError("rows in blocks of 128, at most 512 columns")
    # bug: ones = nl.ndarray((1, 128), dtype=x.dtype, buffer=nl.sbuf)
    ones = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=ones, value=1.0)
    acc = nl.ndarray((1, C), dtype=nl.float32, buffer=nl.psum)
    for block in range(R // 128):
        nisa.nc_matmul(dst=acc, stationary=ones, moving=_load_rows(x, block, C))  # here
    sums = nl.ndarray((1, C), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=sums, src=acc)
    out = nl.ndarray((1, C), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=sums)
    return out
