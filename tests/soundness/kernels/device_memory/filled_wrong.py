# expect: 1 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f32[R,C]' --where 'R == 2**17'
"""An argument may fill the memory of a device."""
import nki
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R * C < 24 * 2**30
    return nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.shared_hbm)
