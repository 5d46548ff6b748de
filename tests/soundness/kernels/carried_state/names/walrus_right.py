# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        assert (double := 2 * i) < 2 * n
        assert double == 2 * i
