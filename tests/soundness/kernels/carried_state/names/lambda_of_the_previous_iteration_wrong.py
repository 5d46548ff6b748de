# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    callback = lambda: 0
    for i in range(n):
        assert callback() == 0
        callback = lambda i=i: i
