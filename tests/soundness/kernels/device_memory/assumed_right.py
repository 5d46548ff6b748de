# expect: 1 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R,C]' --where 'C >= 1'
"""96 GiB of a trn2 device hold 24 Gi elements of 4 bytes: no argument has more."""
import nki
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R * C <= 24 * 2**30
    return nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.shared_hbm)
