# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    previous = None
    for i in range(n):
        if previous is not None:
            assert previous == i
        previous = i
