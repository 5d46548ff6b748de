# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    if n in [1, 3]:
        assert n % 2 == 1
    else:
        assert n != 1
