# expect: 1 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f32[R:1..128,C]@sbuf' --where 'C >= 1'
"""What is assumed of arguments in HBM is not of those on chip, whose size is claimed."""
import nki
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R * C <= 24 * 2**30
