# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    rows = [[0] for i in range(n)]
    if n > 1:
        rows[0].append(1)
        assert len(rows[1]) == 2
