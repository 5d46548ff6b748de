# expect: 4 FAILED df.input_written:12
# args: ::kernel --arg 'x=f32[8,6]' --arg 'idx=i32[4,1] in 0..7' --arg 'v=f32[4,6]' --strict
# shapes: none
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki


@nki.jit
def kernel(x, idx, v):
    rows, tile = nl.load(idx), nl.load(v)
    nl.atomic_rmw(x[rows[nl.arange(4)[:, None], 0], nl.arange(6)[None, :]], tile, op=np.add)
