# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in range(n):
        if i == 3:
            break
    else:
        assert n < 3
    assert n != 5
