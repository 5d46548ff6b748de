# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    if 1 <= n <= 3:
        assert n in (1, 2, 3)
    if not 1 <= n <= 3:
        assert n == 0 or n > 3
