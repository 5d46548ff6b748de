# expect: 1 UNKNOWN
# args: ::kernel --arg x=bf16[128*n,512]
# shapes: none
"""Rows that only what iterations count keeps within: traced once, the body reads past the end from the second on."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    back = 0
    for i in nl.sequential_range(x.shape[0] // 128):
        nl.store(out[nl.ds(i * 128, 128), :], value=nl.load(x[nl.ds(i * 256 - back, 128), :]))
        back += 128
    return out
