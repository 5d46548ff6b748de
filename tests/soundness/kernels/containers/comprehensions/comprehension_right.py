# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    values = [3 * i for i in range(n)]
    assert len(values) == n
    for i in range(n):
        assert values[i] == 3 * i
