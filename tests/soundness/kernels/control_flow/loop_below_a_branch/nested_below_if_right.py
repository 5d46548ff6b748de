# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 1..

def kernel(n, m):
    for i in range(n):
        if i < 5:
            for j in range(m):
                assert i * m + j < n * m
