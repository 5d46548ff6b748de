# expect: 1 FAILED|UNKNOWN
# dims: 0..
# args: --timeout 2

def kernel(n):
    i = 0
    while True:
        if i >= n:
            break
        i += 1
    assert i < 4
