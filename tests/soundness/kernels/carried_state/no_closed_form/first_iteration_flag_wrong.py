# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    first = True
    for i in range(n):
        assert first
        first = False
