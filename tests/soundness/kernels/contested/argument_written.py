# expect: 4 FAILED df.input_written:11
# args: ::scaled --arg 'x=f32[P:1..128,F:1..2048]' --arg 'out=f32[P,F]'
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit(mode="torchxla")
def scaled(x, out):
    tile = nl.load(x)
    tile = nl.multiply(tile, 0.5)
    nl.store(out, tile)
