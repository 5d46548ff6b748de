# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, m):
    values = []
    for i in range(n):
        if m > 2:
            values.append(i)
    assert len(values) == n
