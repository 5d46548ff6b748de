# expect: 1 FAILED|UNKNOWN
# dims: 0..

def numbers(values):
    for value in values:
        yield value

def kernel(n):
    for value in numbers([i for i in range(n)]):
        assert value < 3
