# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    rows = []
    for i in range(n):
        row = [0]
        rows.append(row)
    if n > 1:
        rows[0].append(1)
        assert len(rows[1]) == 2
