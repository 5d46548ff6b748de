# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    values = []
    for i in range(n):
        values.append(i)
    for j in range(m):
        values.append(100 + j)
    assert len(values) == n + m
    for j in range(m):
        assert values[n + j] == 100 + j
