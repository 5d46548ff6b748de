# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m):
    for i in range(n):
        for j in range(m):
            assert i * 3 != j + 54321
