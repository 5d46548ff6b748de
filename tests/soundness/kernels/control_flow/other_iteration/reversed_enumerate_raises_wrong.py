# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for pair in reversed(enumerate(range(n))):
        pass
