# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(min(n, 1)):
        assert i == 0
