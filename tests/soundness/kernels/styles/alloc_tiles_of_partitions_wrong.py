# expect: 3 FAILED mem.placed_overlap
# args: ::kernel --arg x=bf16[64,512]
"""Tiles one behind the other along the partitions: the second of them is where the other tensor is."""
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


def place(idx, pdim_size, fdim_size):
    return 32, 0


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    bias = nl.ndarray((par_dim(32), 512), dtype=x.dtype, buffer=ncc.sbuf.alloc(place))
    tiles = nl.ndarray((2, par_dim(32), 512), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_par_tiles=(2,)))
    bias[...] = 1.0
    for i in nl.affine_range(2):
        tiles[i] = nl.load(x[nl.ds(i * 32, 32), :])
    for i in nl.affine_range(2):
        nl.store(out[nl.ds(i * 32, 32), :], value=nl.add(tiles[i], bias))
    return out
