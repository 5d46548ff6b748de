# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# args: --unwind 4
# shapes: 0..14

def kernel(n):
    assert all(i < 10 for i in range(n))
