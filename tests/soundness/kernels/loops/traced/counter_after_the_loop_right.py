# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# args: ::kernel --arg x=bf16[128*n,512]
# shapes: n=1..3
"""A counter that is used behind the loop: the rows there are within, whether one iteration has counted or all have."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    rows = x.shape[0]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    done = -128
    for i in nl.sequential_range(rows // 128):
        nl.store(out[nl.ds(i * 128, 128), :], value=nl.load(x[nl.ds(i * 128, 128), :]))
        done += 128
    nl.store(out[nl.ds(done, 128), :], value=nl.load(x[nl.ds(done, 128), :]))
    return out
