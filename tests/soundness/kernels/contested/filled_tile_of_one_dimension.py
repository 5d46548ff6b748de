# expect: 1 FAILED leg.operand_rank:11
# args: ::kernel --arg 'x=f32[128,F:1..2048]'
"""A tile of one dimension that `nl.zeros` fills: an instruction uses it, which no published kernel is known to do."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((nl.par_dim(128),), dtype=x.dtype, buffer=nl.sbuf)
    assert total.shape == (128,)
    nl.store(out, nl.load(x))
    return out
