# expect: 1 FAILED|UNKNOWN
# dims: 0..

def inner(n):
    for i in range(n):
        yield i

def outer(n):
    yield 0
    yield from inner(n)

def kernel(n):
    for x in outer(n):
        assert x < 3
