# expect: 1 FAILED|UNKNOWN
# dims: 0..

def bound(n):
    for i in range(n):
        if i == 2:
            q = n
    try:
        return q
    except UnboundLocalError:
        return 0
def kernel(n):
    assert bound(n) < 4
