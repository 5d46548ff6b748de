# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    total = n
    for i in range(total):
        total = total + 1
        assert i < n
    assert total == 2 * n
