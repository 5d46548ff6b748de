# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    row = [0]
    rows = []
    for i in range(n):
        rows.append(row)
    row.append(1)
    for i in range(n):
        assert len(rows[i]) == 1
