# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert range(n).index(3) == 3
