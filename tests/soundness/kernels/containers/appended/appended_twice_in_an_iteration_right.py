# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.append(i)
        values.append(-i)
    assert len(values) == 2 * n
