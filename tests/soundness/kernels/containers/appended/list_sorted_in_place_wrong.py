# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [n, 3]
    values.sort()
    assert values[0] == n
