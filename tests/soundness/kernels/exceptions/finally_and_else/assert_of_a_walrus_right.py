# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert (m := n + 1) > n
    assert m == n + 1
