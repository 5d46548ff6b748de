# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    flag = False
    for i in range(n):
        assert not flag
        flag = not flag
