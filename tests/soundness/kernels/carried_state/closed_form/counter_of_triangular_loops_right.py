# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        for j in range(i):
            count += 1
    assert 2 * count == n * (n - 1)
