# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = lambda: sum(1 for i in range(n))
    assert count() < 3
