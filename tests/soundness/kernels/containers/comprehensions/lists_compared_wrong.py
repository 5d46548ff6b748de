# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert [i for i in range(n)] != [0, 1, 2]
