# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    first = True
    for i in range(n):
        if first:
            assert i == 0
        else:
            assert i > 0
        first = False
