# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [i for i in range(n)]
    rest = values[1:]
    assert len(rest) == n - 1
