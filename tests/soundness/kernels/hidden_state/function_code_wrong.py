# expect: 1 FAILED|UNKNOWN
# dims: 0..

def one():
    return 1
def two():
    return 2
def kernel(n):
    def helper():
        return 1
    for i in range(n):
        assert helper() == 1
        helper.__code__ = two.__code__
