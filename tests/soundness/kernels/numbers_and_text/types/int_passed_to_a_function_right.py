# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = list(map(int, [n, n / 2, True]))
    assert values[0] == n
