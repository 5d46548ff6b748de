# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    one = [n + i for i in range(5)]
    other = [n + i for i in range(5)]
    assert not one < other and not one > other and one == other
    assert one < other + [0] and other + [0] > one
    assert one < [n + i + 1 for i in range(5)]
