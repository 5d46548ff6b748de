# expect: 1 FAILED|UNKNOWN
# dims: 0..

def doubles(n):
    for i in range(n):
        yield 2 * i

def kernel(n):
    for x in doubles(n):
        assert x < 6
