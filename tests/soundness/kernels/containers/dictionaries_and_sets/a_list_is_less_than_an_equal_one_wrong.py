# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    one = [n + i for i in range(5)]
    assert one < [n + i for i in range(5)]
