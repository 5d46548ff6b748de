# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in map(lambda i: 2 * i, range(n)):
        assert i < 6
