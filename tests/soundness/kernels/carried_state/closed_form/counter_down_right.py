# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    left = n
    for i in range(n):
        assert left > 0
        left -= 1
    assert left == 0
