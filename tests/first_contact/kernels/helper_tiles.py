"""Rows are loaded, doubled and stored by helpers; only they look at the shapes."""

# legal: rows % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl


def load_block(source, block):
    rows, cols = source.shape
    tile = nl.ndarray((128, cols), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[block * 128 : (block + 1) * 128, :])
    return tile


def store_block(target, block, tile):
    # bug: nisa.dma_copy(dst=target[block * 128 : (block + 1) * 128 + 1, :], src=tile)
    nisa.dma_copy(dst=target[block * 128 : (block + 1) * 128, :], src=tile)


@nki.jit
def helper_tiles(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for block in range(x.shape[0] // 128):
        tile = load_block(x, block)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
        store_block(out, block, tile)
    return out
