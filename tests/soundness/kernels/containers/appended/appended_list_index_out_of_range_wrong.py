# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.append(i)
    assert values[n - 2] >= 0
