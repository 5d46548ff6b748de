# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0.0
    for i in range(n):
        assert x < 1.0
        x += 0.5
