# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 1..
# shapes: 1..5

def kernel(n, step):
    for i in range(0, n, step):
        assert i % step == 0
