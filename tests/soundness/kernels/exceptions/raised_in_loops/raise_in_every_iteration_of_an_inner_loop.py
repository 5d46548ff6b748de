# expect: 1 FAILED
# dims: 0..

def kernel(n, m):
    for i in range(n):
        for j in range(m):
            raise ValueError("always")
    assert n * m == 0
