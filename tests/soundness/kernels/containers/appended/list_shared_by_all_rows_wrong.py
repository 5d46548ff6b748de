# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    row = []
    rows = []
    for i in range(n):
        row.append(i)
        rows.append(row)
    for i in range(n):
        assert len(rows[i]) == i + 1
