# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# args: --unwind 4
# shapes: 0..14

def kernel(n):
    values = [i for i in range(n) if i != 10]
    assert len(values) == n
