# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    here = 1
    for i in range(n):
        if i == 3:
            del here
    assert here == 1
