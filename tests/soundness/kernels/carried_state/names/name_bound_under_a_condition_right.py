# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    last = 0
    for i in range(n):
        if i % 2 == 0:
            last = i
    assert last <= n
