# expect: 1 SUCCESSFUL leg.mask_and
# args: ::kernel --arg 'x=bf16[64,C]' --where 'C <= 512'
"""The right side of an inner `and` raises, and is caught: the outer one still joins what stands before it."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


def limit(j, columns):
    try:
        return j < 2 * columns and j < {}["missing"]
    except KeyError:
        return columns


@nki.jit
def kernel(x):
    out = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None]
    j = nl.arange(512)[None, :]
    # With the comparison in `limit` in place of this one, rows from 64 on would be read.
    tile = nl.load(x[i, j], mask=i < 64 and j < limit(j, x.shape[1]))
    nl.store(out[i, j], tile, mask=i < 64)
    return out
