# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,F:1..128]'
"""A transpose of one tile."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.shared_hbm)
    turned = nisa.nc_transpose(nl.load(x))
    nl.store(out, nl.copy(turned))
    return out
