# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    for i in range(n):
        count = 0
        for j in range(m):
            assert count == j
            count += 1
        assert count == m
