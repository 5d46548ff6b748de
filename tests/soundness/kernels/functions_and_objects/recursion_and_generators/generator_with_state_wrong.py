# expect: 1 FAILED|UNKNOWN
# dims: 0..

def fibonacci(n):
    a, b = 0, 1
    for i in range(n):
        yield a
        a, b = b, a + b

def kernel(n):
    for x in fibonacci(n):
        assert x < 3
