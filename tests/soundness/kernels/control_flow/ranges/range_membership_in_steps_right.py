# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    if n in range(1, 100, 3):
        assert n % 3 == 1
