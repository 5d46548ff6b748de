# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    if n <= 1000:
        assert float(n * 128) * 128 <= 32.0 * 36864 * 36864
        assert float(n) * 2.0 == 2 * n
        assert int(float(n) * 3) == 3 * n
