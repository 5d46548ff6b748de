# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..99

def kernel(n):
    if n < 100:
        assert float(n) * 0.1 * 10 == n
