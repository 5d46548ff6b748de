# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        if i % 2 == 0:
            values.append(i)
    assert 2 * len(values) >= n
