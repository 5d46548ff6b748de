# expect: 1 UNKNOWN
# args: ::kernel --arg x=bf16[128*n,512]
# shapes: none
"""A counter that is used behind the loop: traced once, it has counted one iteration, and the rows there are past the end."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    rows = x.shape[0]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    left = rows
    for i in nl.sequential_range(rows // 128):
        nl.store(out[nl.ds(i * 128, 128), :], value=nl.load(x[nl.ds(i * 128, 128), :]))
        left -= 128
    nl.store(out[nl.ds(0, 128), :], value=nl.load(x[nl.ds(2 * left, 128), :]))
    return out
