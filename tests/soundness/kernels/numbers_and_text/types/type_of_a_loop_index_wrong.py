# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in range(n):
        assert type(i) is not int
