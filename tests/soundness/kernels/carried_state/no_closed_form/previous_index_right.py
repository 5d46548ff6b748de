# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    previous = -1
    for i in range(n):
        assert previous == i - 1
        previous = i
