# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    first = [0]
    last = first
    for i in range(n):
        assert i == 0 or first is not last
        assert first[0] == 0
        last = [0]
