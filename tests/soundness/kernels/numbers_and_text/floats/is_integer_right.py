# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    if n % 2 == 0:
        assert (n / 2).is_integer()
