# expect: 1 FAILED|UNKNOWN
# dims: 0..
# args: --unwind 4

def kernel(n):
    k = 0
    while k < n:
        k += 1
    assert k != 4
