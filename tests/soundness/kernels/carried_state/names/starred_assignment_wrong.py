# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    first, *rest = 0, 1, 2
    for i in range(n):
        assert first < 2
        first, *rest = *rest, first
