# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    count = 0
    for i in range(n):
        for j in range(m):
            assert count == i * m + j
            count += 1
    assert count == n * m
