# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n, m):
    for i in range(n):
        for j in range(m):
            if j == i:
                break
            assert j < i
