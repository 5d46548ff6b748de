# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, m):
    values = []
    for i in range(n):
        for j in range(m):
            values.append(i)
    for k in range(n):
        if k < n * m:
            assert values[k] == k
