# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = [1]
    for i in range(n):
        values.append(values[0] + 1)
    assert values[n] <= 2
