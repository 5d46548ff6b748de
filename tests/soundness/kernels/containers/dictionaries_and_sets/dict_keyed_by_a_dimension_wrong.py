# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    table = {3: 1}
    table[n] = 2
    assert table[3] == 1
