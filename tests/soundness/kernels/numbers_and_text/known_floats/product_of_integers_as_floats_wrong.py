# expect: 1 FAILED kernel.assert:6
# dims: 0..

def kernel(n):
    if n <= 1000:
        assert float(n) * n < 25.0
