# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [7]
    for i in range(n):
        values.append(i)
    assert values[-1] != 3
