# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    last = 0
    for i in range(n):
        assert last < 3
        if (last := last + 1) > 100:
            pass
