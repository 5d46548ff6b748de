# expect: 1 SUCCESSFUL|UNKNOWN
# expect: 4 UNKNOWN
# args: ::kernel --arg x=bf16[128*n,512]
# shapes: none
"""A counter that says which rows are copied: traced once, the body copies the first ones to all others."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    at = 0
    for i in nl.sequential_range(x.shape[0] // 128):
        nl.store(out[nl.ds(i * 128, 128), :], value=nl.load(x[nl.ds(at, 128), :]))
        at += 128
    return out
