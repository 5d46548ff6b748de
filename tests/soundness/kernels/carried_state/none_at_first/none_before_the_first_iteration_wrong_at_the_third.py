# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    previous = None
    for i in range(n):
        if i > 0:
            assert previous + 1 == i and previous < 1
        previous = i
