# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    count = 0
    for i in range(n, m):
        count += 1
    assert count == max(m - n, 0)
