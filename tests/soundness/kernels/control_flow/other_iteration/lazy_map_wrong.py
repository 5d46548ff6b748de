# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    calls = []
    lazy = map(calls.append, [1, 2, 3])
    assert len(calls) == 3
