# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    rows = []
    for i in range(n):
        row = [i]
        rows.append(row)
        row.append(i)
    for i in range(n):
        assert len(rows[i]) == 2
