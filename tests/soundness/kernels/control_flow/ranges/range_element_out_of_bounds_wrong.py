# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert range(n)[2] == 2
