# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = [7]
    for i in range(n):
        values.append(i)
    assert values[-1] == (n - 1 if n > 0 else 7)
