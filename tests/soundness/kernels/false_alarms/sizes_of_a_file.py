# expect: 1 UNKNOWN
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A file is refused; what it says of sizes is unknown, and no name is undefined."""

import nki
import nki.isa as nisa
import nki.language as nl
import json
from pathlib import Path

SIZES = json.loads((Path(__file__).parent / '_sizes.json').read_text())


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape[1] <= SIZES['columns']
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
