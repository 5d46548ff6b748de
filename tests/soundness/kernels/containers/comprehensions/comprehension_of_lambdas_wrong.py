# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    functions = [lambda: i for i in range(n)]
    for i in range(n):
        assert functions[i]() == i
