# expect: 1 FAILED kernel.assert:7
# dims: 0..

def kernel(n):
    rows = [[j for j in range(i)] for i in range(n)]
    for i in range(n):
        assert len(rows[i]) < 3
