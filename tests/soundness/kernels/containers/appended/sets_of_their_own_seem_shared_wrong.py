# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    rows = [set() for i in range(n)]
    if n > 1:
        rows[0].add(1)
        assert 1 in rows[1]
