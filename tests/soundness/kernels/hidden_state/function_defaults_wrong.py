# expect: 1 FAILED|UNKNOWN
# dims: 0..

def helper(count=0):
    return count
def kernel(n):
    helper.__defaults__ = (0,)
    for i in range(n):
        assert helper() < 3
        helper.__defaults__ = (helper() + 1,)
