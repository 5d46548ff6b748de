# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    previous = None
    for i in range(n):
        if i > 0:
            assert previous + 1 == i
        previous = i
