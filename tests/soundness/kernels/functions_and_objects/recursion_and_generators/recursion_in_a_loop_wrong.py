# expect: 1 FAILED|UNKNOWN
# dims: 0..
# args: --timeout 2

def total(n):
    return 0 if n <= 0 else 1 + total(n - 1)

def kernel(n):
    for i in range(n):
        assert total(i) < 3
