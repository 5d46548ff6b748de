# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    rows = []
    for i in range(n):
        row = [i]
        rows.append(row)
        row.append(i)
    for i in range(n):
        assert len(rows[i]) == 1
