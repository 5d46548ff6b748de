# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 FAILED|UNKNOWN
# expect: 4 SUCCESSFUL
# args: ::kernel --arg x=bf16[128*n,512]
# shapes: n=1..3
"""A cursor of bytes that each iteration moves on, by too little for the second tensor: the body is traced once, and places its tensors once."""
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    at = 0
    for i in nl.sequential_range(rows // 128):
        tile = nl.ndarray((par_dim(128), columns), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=at))
        at += columns
        result = nl.ndarray((par_dim(128), columns), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=at))
        at += columns * 2
        tile[...] = nl.load(x[nl.ds(i * 128, 128), :])
        result[...] = nl.add(tile, 1.0)
        nl.store(out[nl.ds(i * 128, 128), :], value=nl.add(result, tile))
    return out
