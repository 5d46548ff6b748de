# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# args: --timeout 2

def total(n):
    return 0 if n <= 0 else 1 + total(n - 1)

def kernel(n):
    assert total(n) == n
