# expect: 1 FAILED
# args: ::kernel --arg 'x=f32[R,C]' --no-device-memory --where 'C >= 1'
"""Nothing is assumed of the size of an argument: it may have more than 24 Gi elements."""
import nki
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R * C <= 24 * 2**30
    return nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.shared_hbm)
