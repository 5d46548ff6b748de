# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for position, i in enumerate(range(3, n)):
        assert i == position + 3
        assert i < n
