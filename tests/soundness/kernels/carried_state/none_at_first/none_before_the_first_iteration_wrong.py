# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    previous = None
    for i in range(n):
        assert previous + 1 == i
        previous = i
