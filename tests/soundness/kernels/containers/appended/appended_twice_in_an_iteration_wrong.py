# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.append(i)
        values.append(-i)
    assert len(values) <= n + 3
