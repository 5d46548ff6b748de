# expect: 4 SUCCESSFUL
# args: ::scaled --arg 'x=f32[P:1..128,F:1..2048]' --arg 'out=f32[P,F]'
import neuronxcc.nki.language as nl
from torch_neuronx import nki_jit


@nki_jit
def scaled(x, out):
    nl.store(out, nl.multiply(nl.load(x), 0.5))
