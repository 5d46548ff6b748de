# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    x = 5
    for i in range(n):
        x += 1
        assert x == 6
        x -= 1
    assert x == 5
