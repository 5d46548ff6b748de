# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::k --arg x=f32[128*n,C] --arg mode='"relu"' --where 'C <= 4000'
"""Named tuples, a match statement, a generator of tiles."""
from typing import NamedTuple
import nki
import nki.isa as nisa
import nki.language as nl


class TileSpec(NamedTuple):
    rows: slice
    index: int


def tiles(n):
    for i in range(n // 128):
        yield TileSpec(rows=slice(i * 128, (i + 1) * 128), index=i)


def act(mode):
    match mode:
        case "gelu":
            return nl.gelu
        case "relu":
            return nl.relu
        case _:
            raise ValueError(f"unknown activation {mode}")


@nki.jit
def k(x, mode="gelu"):
    n, d = x.shape
    out = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    for spec in tiles(n):
        t = nl.ndarray((128, d), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[spec.rows])
        nisa.activation(dst=t, op=act(mode), data=t)
        nisa.dma_copy(dst=out[spec.rows], src=t)
    return out
