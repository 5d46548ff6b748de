# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        assert i < n, "index {} of {}".format(i, n)
