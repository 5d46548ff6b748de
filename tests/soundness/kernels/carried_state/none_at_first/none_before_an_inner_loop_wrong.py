# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, m):
    for i in range(n):
        previous = None
        for j in range(m):
            if j > 0:
                assert previous + 1 == j and i + j < 5
            previous = j
