# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    rows = [[i + j for j in range(m)] for i in range(n)]
    assert len(rows) == n
    for i in range(n):
        for j in range(m):
            assert rows[i][j] == i + j
