# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    pairs = [(i, [i]) for i in range(n)]
    if n > 2:
        pairs[2][1].append(100)
        assert len(pairs[2][1]) == 1
