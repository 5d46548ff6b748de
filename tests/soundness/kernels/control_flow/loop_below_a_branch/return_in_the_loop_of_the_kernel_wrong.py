# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in range(n):
        if i == 2:
            return
    assert n < 2
    assert n < 1
