# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.append(2 * i)
    assert len(values) == n
    for i in range(n):
        assert values[i] == 2 * i
