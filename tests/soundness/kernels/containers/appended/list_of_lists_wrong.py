# expect: 1 FAILED kernel.assert:12
# dims: 0..

def kernel(n, m):
    rows = []
    for i in range(n):
        row = []
        for j in range(i):
            row.append(j)
        rows.append(row)
    for i in range(n):
        assert len(rows[i]) < 3
