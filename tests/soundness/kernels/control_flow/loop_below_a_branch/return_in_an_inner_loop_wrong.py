# expect: 1 FAILED|UNKNOWN
# dims: 0..

def search(n, m):
    for i in range(n):
        for j in range(m):
            if i + j == 3:
                return i
    return 0

def kernel(n, m):
    assert search(n, m) == 0
