# expect: 1 SUCCESSFUL
# dims: 0..

def total(*values):
    result = 0
    for value in values:
        result += value
    return result

def kernel(n):
    assert total(n, 2, n) == 2 * n + 2
