# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    callback = None
    for i in range(n):
        callback = lambda: i
    if callback is not None:
        assert callback() == 0
