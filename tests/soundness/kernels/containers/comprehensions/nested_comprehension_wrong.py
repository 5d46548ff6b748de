# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n, m):
    rows = [[i + j for j in range(m)] for i in range(n)]
    for i in range(n):
        for j in range(m):
            assert rows[i][j] < 6
