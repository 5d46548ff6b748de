# expect: 1 FAILED kernel.assert:6
# dims: 0..

def kernel(n):
    for i in range((n + 3) // 4):
        assert 4 * i + 4 <= n
