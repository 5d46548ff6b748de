# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, m):
    values = [i + j for i in range(n) for j in range(m)]
    assert len(values) <= 6
