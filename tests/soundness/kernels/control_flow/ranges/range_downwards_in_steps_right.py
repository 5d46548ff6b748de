# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n, 0, -2):
        assert i == n - 2 * count
        assert i > 0
        count += 1
    assert 2 * count >= n
    assert 2 * count <= n + 1
