# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    i = 0
    while i < n:
        i += 2
    assert i == n
