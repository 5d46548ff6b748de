# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    values = [10, 11]
    for i in range(n):
        values.append(i)
    assert len(values) == n + 2
    assert values[0] == 10
    assert values[1] == 11
    for i in range(n):
        assert values[i + 2] == i
