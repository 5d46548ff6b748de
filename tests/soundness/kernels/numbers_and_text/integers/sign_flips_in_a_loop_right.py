# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        assert (-1) * i <= 0
        assert (i - n) // 2 < 0
