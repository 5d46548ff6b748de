# expect: 1 FAILED leg.operand_rank:14
# args: ::add_bias --arg 'x=f32[128,F:1..2048]'
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def add_bias(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    bias = nl.ndarray((nl.par_dim(128),), dtype=x.dtype, buffer=nl.sbuf)
    tile = nl.load(x)
    unused = nl.ndarray((nl.par_dim(64),), dtype=x.dtype, buffer=nl.psum)
    assert unused.shape == (64,)
    nl.store(out, nl.add(tile, bias))
    return out
