# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range((n + 3) // 4):
        assert 4 * i < n
