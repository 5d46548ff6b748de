# expect: 1 FAILED|UNKNOWN
# dims: 0..

def numbers():
    yield 0
    yield 0
    while True:
        yield 1

def kernel(n):
    steps = numbers()
    for i in range(n):
        assert next(steps) == 0
