# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def endless(n):
    return endless(n + 1)

def kernel(n):
    try:
        x = endless(n)
    except RecursionError:
        x = 0
    assert x == 0
