# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    for i in range(1, n):
        for j in range(0, n, i):
            assert j % i == 0
