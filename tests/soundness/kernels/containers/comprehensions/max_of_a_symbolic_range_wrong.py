# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    if n > 0:
        assert max(range(n)) <= 3
