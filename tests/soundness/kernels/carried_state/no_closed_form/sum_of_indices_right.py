# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    total = 0
    for i in range(n):
        total += i
    assert 2 * total == n * (n - 1)
