# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    one = [n + i for i in range(5)]
    other = [n + i for i in range(5)]
    assert one <= other and one >= other
