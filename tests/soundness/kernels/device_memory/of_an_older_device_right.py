# expect: 1 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R,C]' --target trn1 --where 'C >= 1'
"""A trn1 device has 32 GiB."""
import nki
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R * C <= 8 * 2**30
    return nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.shared_hbm)
