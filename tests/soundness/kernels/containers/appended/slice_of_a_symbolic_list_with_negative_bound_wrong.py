# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [i for i in range(n)]
    assert len(values[:-1]) == n
