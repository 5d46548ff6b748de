# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    if n == 3:
        x = n + 2 ** 53 - 2
        assert float(x) == x
        assert int(float(x)) == x
