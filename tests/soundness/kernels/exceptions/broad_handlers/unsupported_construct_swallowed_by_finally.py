# expect: 1 FAILED|UNKNOWN
# dims: 0..

def attempt(n):
    try:
        return n ^ 1
    finally:
        return 0

def kernel(n):
    x = attempt(n)
    assert x == 0
    y = n ^ 1
    assert y == n + 1
