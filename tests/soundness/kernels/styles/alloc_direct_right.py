# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::k --arg x=bf16[512,512]
"""Direct allocation: ncc.sbuf.mod_alloc and ncc.psum.mod_alloc."""
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


@ncc.skip_middle_end_transformations
@nki.jit
def k(x):
    n, d = x.shape
    out = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    t = n // 128
    ident = nl.ndarray((par_dim(128), 128), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    ident[...] = nisa.memset((128, 128), value=1.0, dtype=x.dtype)
    tiles = nl.ndarray((4, par_dim(128), d), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=128 * 2, num_free_tiles=(4,)))
    res = nl.ndarray((4, par_dim(128), d), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=128 * 2 + 4 * d * 2, num_free_tiles=(2,)))
    ps = nl.ndarray((4, par_dim(128), d), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0, num_bank_tiles=(2,)))
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[nl.ds(i * 128, 128), :])
    for i in nl.affine_range(4):
        ps[i] = nisa.nc_matmul(ident, tiles[i])
        res[i] = nisa.activation(op=nl.copy, data=ps[i], scale=1.0, dtype=x.dtype)
        nl.store(out[nl.ds(i * 128, 128), :], value=res[i])
    return out
