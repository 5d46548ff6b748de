# expect: 1 UNKNOWN
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""The same, where a function reads the file and gives the names."""

import nki
import nki.isa as nisa
import nki.language as nl
import json
from pathlib import Path


def sizes():
    with open(Path(__file__).parent / '_sizes.json') as file:
        return json.load(file)


globals().update({name.upper(): value for name, value in sizes().items()})


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape[1] <= COLUMNS
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
