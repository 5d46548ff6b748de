# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# args: --unwind 4
# shapes: 0..14

def kernel(n):
    i = 0
    while i < n:
        assert i < 12
        i += 1
