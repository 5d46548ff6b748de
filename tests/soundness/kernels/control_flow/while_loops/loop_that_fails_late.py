# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# args: --unwind 4
# shapes: 0..14

def kernel(n):
    x = 0
    for i in range(n):
        assert x < 12
        x = x + 1 if x < 20 else 0
