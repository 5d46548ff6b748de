# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, m):
    values = []
    for i in range(n):
        values.append(i)
    for j in range(m):
        values.append(100 + j)
    for k in range(n + m):
        assert values[k] <= 103
