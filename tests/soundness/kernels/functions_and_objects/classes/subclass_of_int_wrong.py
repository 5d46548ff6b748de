# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Size(int):
    pass

def kernel(n):
    assert Size(n) < 3
