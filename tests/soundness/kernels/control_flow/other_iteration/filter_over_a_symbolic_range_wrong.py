# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in filter(lambda i: i > 2, range(n)):
        assert i < 4
