# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def search(n):
    for i in range(n):
        if i == 2:
            return i
    return 0

def kernel(n):
    assert search(n) <= 2
