# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = sorted([n, 3, 5 - n])
    assert values[0] <= values[1]
    assert values[1] <= values[2]
