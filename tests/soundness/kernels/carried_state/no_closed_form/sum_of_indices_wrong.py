# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    total = 0
    for i in range(n):
        total += i
    assert total <= n
