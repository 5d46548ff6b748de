# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    if n == 1:
        x = (2 ** 60 - n) / 2 ** 30
        assert int(x) < 2 ** 30
