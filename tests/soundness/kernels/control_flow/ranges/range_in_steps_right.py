# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    count = 0
    for i in range(0, n, 3):
        assert i == 3 * count
        assert i < n
        count += 1
    assert 3 * count >= n
    assert 3 * count < n + 3
