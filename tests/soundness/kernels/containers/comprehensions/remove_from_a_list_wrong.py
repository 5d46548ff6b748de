# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [3, 7, n]
    values.remove(n)
    assert values[0] == 3
