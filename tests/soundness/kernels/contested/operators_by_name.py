# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,512]'
"""An operation given by its name."""
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    r, c = x.shape
    out = nl.ndarray((r, c), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x)
    u = nisa.tensor_tensor(t, t, op='add')
    v = nisa.tensor_scalar(u, op0='multiply', operand0=2.0)
    nl.store(out, v)
    return out
