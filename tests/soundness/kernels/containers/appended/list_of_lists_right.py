# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    rows = []
    for i in range(n):
        row = []
        for j in range(m):
            row.append(10 * i + j)
        rows.append(row)
    assert len(rows) == n
    for i in range(n):
        assert len(rows[i]) == m
        for j in range(m):
            assert rows[i][j] == 10 * i + j
