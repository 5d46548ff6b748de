# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    rows = []
    last = None
    for i in range(n):
        last = [0]
        rows.append(last)
    if n > 0:
        last.append(1)
        assert len(rows[n - 1]) == 1
