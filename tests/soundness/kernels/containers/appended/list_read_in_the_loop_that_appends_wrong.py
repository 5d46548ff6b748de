# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [1]
    for i in range(n):
        values.append(values[i] * 2)
    assert values[n] <= 8
