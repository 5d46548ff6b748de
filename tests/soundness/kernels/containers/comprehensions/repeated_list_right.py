# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    values = [5] * n
    assert len(values) == n
    for i in range(n):
        assert values[i] == 5
