# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, m):
    for i in range(n):
        last = 0
        for j in range(m):
            if j == 2:
                break
            last = j + 1
        assert last == m
