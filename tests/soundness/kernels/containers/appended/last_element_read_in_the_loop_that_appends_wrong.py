# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0]
    for i in range(n):
        values.append(values[-1] + i)
    assert values[-1] <= 3
