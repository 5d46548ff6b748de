# expect: 3 FAILED mem.addr_range:21
# args: ::kernel --arg x=bf16[512,512]
"""A function places a tensor behind the end of SBUF."""
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


def one(idx, pdim_size, fdim_size):
    return 0, 212000


def blocks(idx, pdim_size, fdim_size):
    return 0, 1024 + idx[0] * fdim_size


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    bias = nl.ndarray((par_dim(128), 512), dtype=x.dtype, buffer=ncc.sbuf.alloc(one))
    tiles = nl.ndarray((4, par_dim(128), 512), dtype=x.dtype, buffer=ncc.sbuf.alloc(blocks))
    bias[...] = 1.0
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[nl.ds(i * 128, 128), :])
    for i in nl.affine_range(4):
        nl.store(out[nl.ds(i * 128, 128), :], value=nl.add(tiles[i], bias))
    return out
