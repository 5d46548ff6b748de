# expect: 1 FAILED
# args: ::kernel --arg 'x=f32[R,C]' --target trn2 --where 'C >= 1'
"""A trn2 device has more than the 32 GiB of a trn1 device."""
import nki
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R * C <= 8 * 2**30
    return nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.shared_hbm)
