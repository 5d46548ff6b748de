# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n, m):
    values = []
    for i in range(n):
        for j in range(m):
            values.append(i + j)
    assert len(values) == n * m
