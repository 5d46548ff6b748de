# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        assert count == i
        count += 1
    assert count == n
