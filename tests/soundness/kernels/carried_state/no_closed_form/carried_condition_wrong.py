# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    seen = False
    for i in range(n):
        seen = seen or i == 2
    assert not seen
