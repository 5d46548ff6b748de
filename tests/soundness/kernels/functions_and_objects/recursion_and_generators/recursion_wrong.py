# expect: 1 FAILED|UNKNOWN
# dims: 0..
# args: --timeout 2

def total(n):
    return 0 if n <= 0 else n + total(n - 1)

def kernel(n):
    assert total(n) <= 6
