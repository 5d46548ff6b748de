# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    pairs = [(i, i + 1) for i in range(n)]
    if n > 1:
        assert pairs[0] is not pairs[0]
